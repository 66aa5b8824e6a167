// Entries of bridge vlan and ip nexthop in the model.
#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "iproute2/bridge.h"

namespace egt::parsers::iproute2 {
namespace {

std::uint16_t id_of(std::string_view text) {
  const auto n = parse_decimal(text);
  return n && *n < 4096 ? static_cast<std::uint16_t>(*n) : std::uint16_t{0};
}

// "12" or "2-10", by its place; of JSON "vlan" and "vlanEnd".
host::BridgedVlans range_of(const Attributes& words) {
  host::BridgedVlans row;
  row.first = id_of(words.text("vlan"));
  row.last = words.has("vlanEnd") ? id_of(words.text("vlanEnd")) : row.first;
  for (const Attribute& a : words.list) {
    const std::string text = a.key.empty() ? words_of::print_value(a.value) : std::string();
    if (row.first != 0 || text.empty() || !is_digit(text.front())) continue;
    const std::size_t dash = text.find('-');
    row.first = id_of(text.substr(0, dash));
    row.last = dash == text.npos ? row.first : id_of(text.substr(dash + 1));
  }
  return row;
}

class Lowering {
 public:
  Lowering(Provenance from, bool by_lines, std::vector<host::BridgedVlans>& out) : from_(from), by_lines_(by_lines), out_(out) {}

  void run(const Entry& e) {
    const std::size_t before = out_.size();
    device_ = e.words.text("ifname");
    Attributes first = e.words;
    if (device_.empty() && !first.list.empty()) {
      device_ = words_of::print_value(first.list.front().value);
      first.list.erase(first.list.begin());
    }
    take(first);
    for (const Attributes& line : e.more) {
      if (by_lines_) ++from_.line;
      take(line);
    }
    if (out_.size() == before) out_.push_back({device_, 0, 0, false, false, true, from_});
  }

 private:
  void take(const Attributes& words) {
    host::BridgedVlans row = range_of(words);
    const std::string state = words.text("state");
    if (row.first == 0) {  // details of the last one
      if (!state.empty() && !out_.empty() && out_.back().device == device_) out_.back().forwards = state == "forwarding";
      return;
    }
    row.device = device_;
    row.takes_untagged = words.has("PVID");
    row.sends_untagged = words.has("Egress Untagged") || words.has("Untagged");
    row.forwards = state.empty() || state == "forwarding";
    row.from = from_;
    out_.push_back(std::move(row));
  }

  Provenance from_;
  bool by_lines_;
  std::string device_;
  std::vector<host::BridgedVlans>& out_;
};

// "1/3,5": members with their weights.
std::vector<std::pair<std::uint32_t, std::uint32_t>> group_of(const Entry& e) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;
  const std::string text = e.words.text("group");
  for (const std::string_view one : split(text, '/')) {
    const std::size_t comma = one.find(',');
    const auto id = parse_decimal(one.substr(0, comma));
    const auto weight = comma == one.npos ? std::optional<std::uint64_t>(1) : parse_decimal(one.substr(comma + 1));
    if (id && weight) members.emplace_back(static_cast<std::uint32_t>(*id), static_cast<std::uint32_t>(*weight));
  }
  for (const Attributes& one : e.more) {
    const auto id = parse_decimal(one.text("id"));
    if (id)
      members.emplace_back(static_cast<std::uint32_t>(*id),
                           static_cast<std::uint32_t>(parse_decimal(one.text("weight")).value_or(1)));
  }
  return members;
}

}  // namespace

void lower_bridged_vlans(const Entry& entry, Provenance from, bool by_lines, std::vector<host::BridgedVlans>& out) {
  Lowering(from, by_lines, out).run(entry);
}

std::optional<host::NextHopObject> lower_next_hop(const Entry& e, Provenance from) {
  const auto id = parse_decimal(e.words.text("id"));
  if (!id || *id == 0 || *id > UINT32_MAX) return std::nullopt;
  host::NextHopObject object;
  object.id = static_cast<std::uint32_t>(*id);
  object.from = from;
  object.group = group_of(e);
  object.blackhole = e.words.has("blackhole");
  object.for_bridges = e.words.has("fdb");
  const std::string via = e.words.has("gateway") ? e.words.text("gateway") : e.words.text("via");
  object.hop.via = IpAddr::parse(via);
  if (!via.empty() && !object.hop.via) object.not_modelled.push_back("via " + via);
  if (e.words.has("encap")) object.not_modelled.push_back("encap " + e.words.text("encap"));
  object.hop.device = e.words.text("dev");
  object.hop.onlink = e.words.has("onlink");
  object.hop.linkdown = e.words.has("linkdown");
  object.hop.dead = e.words.has("dead");
  return object;
}

}  // namespace egt::parsers::iproute2
