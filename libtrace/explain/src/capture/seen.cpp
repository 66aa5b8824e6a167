#include "seen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "egtrace/packet/packet.h"
#include "remark.h"

namespace egt::explain::capture_study {
namespace {

std::string end_text(const std::string& ip, std::optional<std::uint16_t> port) {
  if (!port) return ip;
  return ip.find(':') == std::string::npos ? fmt::format("{}:{}", ip, *port) : fmt::format("[{}]:{}", ip, *port);
}

constexpr std::array<std::string_view, 6> kKinds = {"SYN", "SYN-ACK", "data", "ACK", "FIN", "RST"};  // of the bits of Kinds

std::string mac_text(std::uint64_t mac) { return mac == 0 ? "" : MacAddr{mac}.to_string(); }

// Only the first difference of a kind at a place is of use.
void add_once(std::vector<DifferenceReport>& all, DifferenceReport one) {
  const bool known = std::any_of(all.begin(), all.end(),
                                 [&](const DifferenceReport& d) { return d.where == one.where && d.observed == one.observed; });
  if (!known) all.push_back(std::move(one));
}

std::string direction_text(const FlowPart& part) {
  if (part.place.direction == capture::Direction::unknown) return "";
  return part.place.direction == capture::Direction::in ? " in" : " out";
}

std::string where_text(const FlowPart& part) { return place_text(part) + direction_text(part); }

void compare_macs(const FlowPart& part, const PredictedRow& row, std::vector<DifferenceReport>& out) {
  const TrackKey& k = part.track->key;
  const auto compare = [&](const char* what, std::uint64_t predicted, std::uint64_t observed) {
    if (predicted == 0 || observed == 0 || predicted == observed) return;
    add_once(out, {where_text(part), what + mac_text(predicted), what + mac_text(observed)});
  };
  compare("to MAC ", row.dmac, k.dmac);
  compare("from MAC ", row.smac, k.smac);
}

}  // namespace

std::string place_text(const std::string& node, const std::string& device) {
  if (node.empty()) return device.empty() ? phrase({FlowRemark::unknown_place}) : device;
  return device.empty() ? node : fmt::format("{}/{}", node, device);
}

std::string place_text(const FlowPart& part) { return place_text(part.place.node(), part.place.device()); }

std::string ends_text(const FlowPart& part) {
  const TrackKey& k = part.track->key;
  const bool ports = carries_ports(k.proto);
  std::string s = fmt::format("{} > {}", end_text(k.src.to_string(), ports ? std::optional(k.sport) : std::nullopt),
                              end_text(k.dst.to_string(), ports ? std::optional(k.dport) : std::nullopt));
  if (k.tunnel != 0)
    s += fmt::format(" in {} {} > {}", k.tunnel == 2 ? "vxlan" : "geneve", k.tunnel_src.to_string(), k.tunnel_dst.to_string());
  return s;
}

std::string row_text(const SightingReport& row) {
  std::string s = fmt::format("{} > {}", end_text(row.src, row.sport), end_text(row.dst, row.dport));
  if (row.encap) s += fmt::format(" in {} {} > {}", row.encap->type, row.encap->src.to_string(), row.encap->dst.to_string());
  return s;
}

std::string source_text(const SightingReport& row) { return end_text(row.src, row.sport); }

std::string error_text(const Track& t) {
  static constexpr std::string_view kUnreachable[] = {"net unreachable", "host unreachable", "protocol unreachable",
                                                      "port unreachable", "fragmentation needed"};
  const std::uint8_t type = t.key.icmp_type, code = t.key.icmp_code;
  std::string what = fmt::format("type {} code {}", type, code);
  if (t.key.proto == ip_proto::icmp) {
    if (type == 3 && code < std::size(kUnreachable))
      what = kUnreachable[code];
    else if (type == 3 && (code == 9 || code == 10 || code == 13))
      what = "administratively prohibited";
    else if (type == 11)
      what = "time exceeded";
  } else {
    static constexpr std::string_view kUnreachable6[] = {"no route", "administratively prohibited", "beyond scope",
                                                         "address unreachable", "port unreachable"};
    if (type == 1 && code < std::size(kUnreachable6))
      what = kUnreachable6[code];
    else if (type == 2)
      what = "packet too big";
    else if (type == 3)
      what = "time exceeded";
  }
  return fmt::format("ICMP {} from {}", what, t.key.src.to_string());
}

std::string packet_kinds(const Track& t) {
  if (t.is_error()) return error_text(t);
  if (t.key.proto == ip_proto::icmp || t.key.proto == ip_proto::icmp6) {
    if (t.key.icmp_type == 8 || t.key.icmp_type == 128) return "echo request";
    if (t.key.icmp_type == 0 || t.key.icmp_type == 129) return "echo reply";
    return fmt::format("ICMP type {} code {}", t.key.icmp_type, t.key.icmp_code);
  }
  if (t.key.proto != ip_proto::tcp) return carries_ports(t.key.proto) ? "datagram" : "packet";
  std::string s;
  const Kinds kinds = kinds_of(t);
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if ((kinds >> i & 1) != 0) s += fmt::format("{}{}", s.empty() ? "" : ", ", kKinds[i]);
  return s;
}

Kinds kinds_of(const Track& t) {
  if (t.is_error() || t.key.proto != ip_proto::tcp) return kOtherPackets;
  const bool data = t.data.packets > 0;
  const bool has[] = {
      t.syn.packets > 0, t.syn_ack.packets > 0, data, !data && t.acked.packets > t.fin.packets && t.acked.packets > 0,
      t.fin.packets > 0, t.reset.packets > 0};
  Kinds kinds = 0;
  for (std::size_t i = 0; i < std::size(has); ++i) kinds = static_cast<Kinds>(kinds | (has[i] ? 1U << i : 0U));
  return kinds;
}

Progress progress_of(const std::vector<const FlowPart*>& parts, const Rows& rows) {
  Progress p;
  p.hits.reserve(parts.size());
  const FlowPart* latest_odd = nullptr;
  for (const FlowPart* part : parts) {
    const std::size_t row = match(rows, *part);
    p.hits.push_back({part, row});
    if (row == kNoRow) {
      latest_odd = part;
      continue;
    }
    p.complete |= row + 1 == rows.size();
    if (p.furthest == kNoRow || row >= p.furthest) {
      p.furthest = row;
      p.last = part;
    }
  }
  const auto is_known_place = [&](const FlowPart& part) {
    return std::any_of(p.hits.begin(), p.hits.end(),
                       [&](const Progress::Hit& h) { return h.row != kNoRow && h.part->place.at == part.place.at; });
  };
  if (latest_odd != nullptr &&
      (p.last == nullptr || (latest_odd->track->all.time > p.last->track->all.time && !is_known_place(*latest_odd))))
    p.last = latest_odd;
  const std::size_t from = p.furthest == kNoRow ? 0 : p.furthest + 1;
  for (std::size_t i = from; i < rows.size() && p.missing == kNoRow; ++i)
    if (rows[i].captured) p.missing = i;
  return p;
}

SeenReport seen_report(const FlowPart& part, bool predicted, const std::vector<File>& files) {
  const Track& t = *part.track;
  SeenReport r;
  r.at.node = part.place.node();
  r.at.device = part.place.device();
  r.at.in = part.place.direction == capture::Direction::in;
  r.direction_known = part.place.direction != capture::Direction::unknown;
  r.at.src = t.key.src.to_string();
  r.at.dst = t.key.dst.to_string();
  r.at.proto = proto_name(t.key.proto, t.key.src.family);
  if (carries_ports(t.key.proto)) {
    r.at.sport = t.key.sport;
    r.at.dport = t.key.dport;
  }
  r.at.ttl = t.key.ttl;
  r.at.smac = mac_text(t.key.smac);
  r.at.dmac = mac_text(t.key.dmac);
  if (t.key.tunnel != 0)
    r.at.encap = engine::Encap{t.key.tunnel == 2 ? "vxlan" : "geneve", t.key.tunnel_src, t.key.tunnel_dst, t.key.vni};
  r.reply = part.reply;
  r.what = packet_kinds(t);
  r.kinds = kinds_of(t);
  r.file = files[t.key.file].name;
  r.frame = t.all.frame;
  r.packets = t.all.packets;
  r.time = t.all.time;
  r.predicted = predicted;
  return r;
}

void add_differences(const Progress& progress, const Rows& rows, std::vector<DifferenceReport>& out) {
  std::optional<int> ttl_shift;  // of what the sender starts with, against what was assumed
  const auto was_seen = [&](std::size_t row) {
    return std::any_of(progress.hits.begin(), progress.hits.end(), [&](const Progress::Hit& h) { return h.row == row; });
  };
  for (const Progress::Hit& h : progress.hits) {
    const TrackKey& k = h.part->track->key;
    if (h.row == kNoRow) {
      if (h.part->place.node().empty() || h.part->place.device().empty()) continue;
      std::string predicted = phrase({FlowRemark::nothing_of_flow});
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows.sighting(i).node == h.part->place.node() && rows.sighting(i).device == h.part->place.device() && !was_seen(i)) {
          predicted = row_text(rows.report(i));
          break;
        }
      add_once(out, {where_text(*h.part), predicted, ends_text(*h.part)});
      continue;
    }
    const SightingReport& row = rows.sighting(h.row);
    if (k.ttl != 0 && row.ttl != 0) {
      const int shift = static_cast<int>(k.ttl) - static_cast<int>(row.ttl);
      if (!ttl_shift)
        ttl_shift = shift;
      else if (*ttl_shift != shift)
        add_once(out, {where_text(*h.part), fmt::format("TTL {}", row.ttl + *ttl_shift), fmt::format("TTL {}", k.ttl)});
    }
    compare_macs(*h.part, rows[h.row], out);
  }
}

}  // namespace egt::explain::capture_study
