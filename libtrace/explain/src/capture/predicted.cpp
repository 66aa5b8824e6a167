#include "predicted.h"

#include <algorithm>
#include <string_view>

#include "egtrace/base/text.h"
#include "phrases/words.h"

namespace egt::explain::capture_study {
namespace {

bool same_tunnel(const std::optional<engine::Encap>& a, const TrackKey& k) {
  if (!a) return k.tunnel == 0;
  return k.tunnel != 0 && a->src == k.tunnel_src && a->dst == k.tunnel_dst && a->vni == k.vni;
}

// Where `address` stands in `text` as a whole word, from `at` on.
std::size_t find_address(std::string_view text, std::string_view address, std::size_t at) {
  const bool v6 = address.find(':') != std::string_view::npos;
  const auto belongs = [&](char c) { return v6 ? is_hex_digit(c) || c == ':' : is_digit(c) || c == '.'; };
  for (at = text.find(address, at); at != std::string_view::npos; at = text.find(address, at + 1)) {
    const std::size_t end = at + address.size();
    const bool begins = at == 0 || !belongs(text[at - 1]);
    // "10.0.0.1." and "fd00::1:" end a sentence or a word.
    const bool ends = end >= text.size() || !belongs(text[end]) ||
                      (!is_hex_digit(text[end]) && (end + 1 == text.size() || !is_hex_digit(text[end + 1])));
    if (begins && ends) return at;
  }
  return at;
}

}  // namespace

std::string OwnEnds::in_place_of(const std::string& address) const {
  const auto a = IpAddr::parse(address);
  return a ? in_place_of(*a).to_string() : address;
}

std::string OwnEnds::in_text(std::string text) const {
  for (std::size_t at = 0; walked.src != own.src || walked.dst != own.dst;) {
    const std::string src = walked.src.to_string(), dst = walked.dst.to_string();
    const std::size_t first_src = find_address(text, src, at), first_dst = find_address(text, dst, at);
    if (first_src == std::string::npos && first_dst == std::string::npos) break;
    const bool is_src = first_src < first_dst;
    const std::string by = (is_src ? own.src : own.dst).to_string();
    at = std::min(first_src, first_dst);
    text.replace(at, (is_src ? src : dst).size(), by);
    at += by.size();
  }
  return text;
}

SightingReport Rows::report(std::size_t i) const {
  SightingReport row = sighting(i);
  row.sport = sport(i);
  row.dport = dport(i);
  if ((*rows_)[i].src != src(i)) row.src = src(i).to_string();
  if ((*rows_)[i].dst != dst(i)) row.dst = dst(i).to_string();
  return row;
}

std::string Predicted::summary() const {
  std::string text = ends.in_text(path->summary);
  if (reply || ends.walked.sport == ends.own.sport || !path->source_seen || path->source_seen->port != ends.walked.sport)
    return text;
  const std::string ip = ends.in_place_of(path->source_seen->ip);
  const std::string walked = to_text(SeenAddress{ip, ends.walked.sport}), own = to_text(SeenAddress{ip, ends.own.sport});
  if (const std::size_t at = text.find(walked); at != std::string::npos) text.replace(at, walked.size(), own);
  return text;
}

std::size_t match(const Rows& rows, const FlowPart& part) {
  const TrackKey& k = part.track->key;
  const bool ports = carries_ports(k.proto);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].at != part.place.at || rows.src(i) != k.src || rows.dst(i) != k.dst) continue;
    const SightingReport& row = rows.sighting(i);
    if (ports && (rows.sport(i).value_or(k.sport) != k.sport || rows.dport(i).value_or(k.dport) != k.dport)) continue;
    if (!same_tunnel(row.encap, k)) continue;
    if (part.place.direction != capture::Direction::unknown && row.in != (part.place.direction == capture::Direction::in))
      continue;
    return i;
  }
  return kNoRow;
}

}  // namespace egt::explain::capture_study
