#include "align.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "kernel_stage.h"

namespace egt::explain::capture_study {
namespace {

using capture::EventFacts;
using capture::OvsEvent;

bool is_switch(const Hop& hop) { return hop.layer == "ovs" || hop.layer == "ovn"; }
bool is_stack(const Hop& hop) { return hop.layer == "host" || hop.layer == "router"; }
bool is_netfilter(const Hop& hop) { return is_stack(hop) && hop.at.kind == HopPlace::Kind::chain; }
bool is_routing(const Hop& hop) { return is_stack(hop) && hop.at.kind == HopPlace::Kind::routing; }

// The number behind `key` in a line of ovs-ofctl: of the cookie, of the table.
std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + key.size());
  return parse_u64(rest.substr(0, rest.find_first_of(", \t\n")));
}

// "… # handle 12"
std::optional<std::uint64_t> handle_of(std::string_view line) {
  const std::size_t at = line.rfind("# handle ");
  return at == std::string_view::npos ? std::nullopt : parse_decimal(trim(line.substr(at + 9)));
}

class Aligner {
 public:
  Aligner(const EventPlace& event, const WalkedPath& walked, const std::string& from, const std::string& to,
          const cluster::Cluster& cluster, std::size_t before)
      : e_(event),
        f_(*event.facts),
        walked_(walked),
        from_(from),
        to_(to),
        cluster_(cluster),
        begin_(begin_of_visit(walked, before)) {}

  Aligned align() {
    if (e_.node.empty()) return none(FlowRemark::place_unknown);
    if (walked_.hops.empty()) return none(FlowRemark::path_unknown);
    if (e_.other_netns != 0) return inside_a_pod();
    const auto all = [](const Hop&) { return true; };
    if (!find(all)) return find_or(all, FlowRemark::node_not_on_path, {e_.node});
    return f_.drop ? at_drop() : at_stage();
  }

 private:
  static Aligned at(std::size_t hop) { return {hop, {}, {}}; }
  static Aligned none(FlowRemark why, engine::Details about = {}) { return {kNoRow, {why, std::move(about)}, {}}; }

  // Probes of one visit to a switch or a stack may be in another order than hops.
  static std::size_t begin_of_visit(const WalkedPath& walked, std::size_t before) {
    if (before == kNoRow || before >= walked.hops.size()) return 0;
    const auto same = [&](std::size_t i) {
      return walked.hops[i].node == walked.hops[before].node && is_switch(walked.hops[i]) == is_switch(walked.hops[before]);
    };
    while (before > 0 && same(before - 1)) --before;
    return before;
  }

  // The first such hop on this node that is not behind the packet.
  template <class Wanted>
  std::optional<std::size_t> find(const Wanted& wanted) const {
    for (std::size_t i = begin_; i < walked_.hops.size(); ++i)
      if (walked_.hops[i].node == e_.node && wanted(walked_.hops[i])) return i;
    return std::nullopt;
  }
  template <class Wanted>
  bool is_behind(const Wanted& wanted) const {
    for (std::size_t i = 0; i < begin_; ++i)
      if (walked_.hops[i].node == e_.node && wanted(walked_.hops[i])) return true;
    return false;
  }
  template <class Wanted>
  Aligned find_or(const Wanted& wanted, FlowRemark why, engine::Details about) const {
    const auto hop = find(wanted);
    if (hop) return at(*hop);
    return is_behind(wanted) ? none(FlowRemark::behind_packet) : none(why, std::move(about));
  }

  // A pod's own stack is before the first hop of what it sends and behind the last one of what it receives.
  Aligned inside_a_pod() const {
    const bool sends = from_ == e_.node, receives = to_ == e_.node;
    if (sends && (!receives || begin_ == 0)) return at(0);
    if (receives) return at(walked_.hops.size() - 1);
    return none(FlowRemark::other_namespace, {std::uint64_t{e_.other_netns}});
  }

  Aligned at_stage() const {
    if (!f_.nft_chain.empty()) return at_rule();
    if (f_.ovs != OvsEvent::none) return in_switch();
    switch (stage_of(f_.symbol)) {
      case Stage::device_in: return at_device(true);
      case Stage::device_out: return at_device(false);
      case Stage::open_vswitch: return in_switch();
      case Stage::netfilter: return in_stack(is_netfilter);
      case Stage::conntrack: return in_conntrack();
      case Stage::routing: return in_stack(is_routing);
      case Stage::transport: return at_end_of_stack();
      case Stage::neighbour: return in_stack([this](const Hop& hop) { return is_stack(hop) && hop.at.device == e_.device; });
      case Stage::other: break;
    }
    return none(FlowRemark::symbol_unknown, {f_.symbol});
  }

  // The hop of the sighting that tcpdump would have there.
  Aligned at_device(bool in) const {
    bool in_other_direction = false;
    for (const SightingReport& s : walked_.sightings) {
      if (s.node != e_.node || s.device != e_.device) continue;
      const std::size_t hop = std::min(in || s.hop == 0 ? s.hop : s.hop - 1, walked_.hops.size() - 1);
      if (s.in == in && hop >= begin_) return at(hop);
      in_other_direction |= s.in != in;
    }
    // Devices of Open vSwitch itself are no places of tcpdump's rows.
    if (e_.device_name == "ovs-system" || e_.device_name.starts_with("genev_sys") || e_.device_name.starts_with("vxlan_sys"))
      return in_switch();
    if (const cluster::Node* node = cluster_.node(e_.node); node != nullptr && node->bridge(e_.device_name) != nullptr)
      return in_switch();
    if (in_other_direction) return none(FlowRemark::device_other_direction, {e_.device});
    if (const auto named = find([this](const Hop& hop) { return !e_.device.empty() && hop.at.device == e_.device; }))
      return at(*named);
    return none(FlowRemark::device_not_on_path, {e_.device_name.empty() ? e_.device : e_.device_name});
  }

  Aligned in_switch() const {
    if (e_.openflow_flows != nullptr && !e_.openflow_flows->empty()) return at_flows();
    if (f_.ovs == OvsEvent::execute_action && f_.action == "ct") return in_zone(f_.zone);
    if (f_.ovs == OvsEvent::execute_action && f_.action == "output") return at_last_of_switch();
    return find_or(is_switch, FlowRemark::switch_not_on_path, {e_.node});
  }

  // Where the packet leaves Open vSwitch again.
  Aligned at_last_of_switch() const {
    const auto first = find(is_switch);
    if (!first) return none(FlowRemark::switch_not_on_path, {e_.node});
    std::size_t last = *first;
    while (last + 1 < walked_.hops.size() && walked_.hops[last + 1].node == e_.node && is_switch(walked_.hops[last + 1])) ++last;
    return at(last);
  }

  // The OpenFlow flows of the datapath flow that was hit, by cookie and table.
  Aligned at_flows() const {
    for (const std::string& flow : *e_.openflow_flows) {
      const auto cookie = number_behind(flow, "cookie="), table = number_behind(flow, "table=");
      if (!cookie || !table) continue;
      const auto hop = find([&](const Hop& h) {
        return is_switch(h) && !h.evidence.empty() && number_behind(h.evidence.front().text, "cookie=") == cookie &&
               number_behind(h.evidence.front().text, "table=") == table;
      });
      if (hop) return at(*hop);
    }
    // Flows that were dumped without cookies cannot be distinguished.
    const bool shown = find([](const Hop& h) {
                         return is_switch(h) && !h.evidence.empty() && number_behind(h.evidence.front().text, "cookie=");
                       }).has_value();
    if (shown) return none(FlowRemark::flows_not_on_path, {std::uint64_t{e_.openflow_flows->size()}});
    return find_or(is_switch, FlowRemark::switch_not_on_path, {e_.node});
  }

  Aligned in_zone(std::uint64_t zone) const {
    const auto is_it = [&](const Hop& h) { return h.at.kind == HopPlace::Kind::conntrack && h.at.zone == zone; };
    return find_or(is_it, FlowRemark::zone_not_on_path, {zone});
  }

  Aligned in_conntrack() const {
    if (!f_.ct_state.empty() && f_.ct_zone != 0) return in_zone(f_.ct_zone);
    return in_stack(is_netfilter);
  }

  // A hop of that kind, or where the path has none, another one of the stack: rules that match nothing are no hops.
  template <class Wanted>
  Aligned in_stack(const Wanted& wanted) const {
    if (const auto hop = find(wanted)) return at(*hop);
    return find_or(is_stack, FlowRemark::stack_not_on_path, {e_.node});
  }

  // The last one: there a process receives it.
  Aligned at_end_of_stack() const {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < walked_.hops.size(); ++i)
      if (walked_.hops[i].node == e_.node && is_stack(walked_.hops[i])) last = i;
    return last ? at(*last) : none(FlowRemark::stack_not_on_path, {e_.node});
  }

  Aligned at_rule() const {
    const auto in_chain = [&](const Hop& hop) {
      return is_netfilter(hop) && hop.at.table == f_.nft_table && hop.at.chain == f_.nft_chain;
    };
    if (f_.nft_rule > 0) {
      const auto handle = static_cast<std::uint64_t>(f_.nft_rule);
      const auto rule = find([&](const Hop& hop) {
        return in_chain(hop) && std::any_of(hop.evidence.begin(), hop.evidence.end(),
                                            [&](const EvidenceLine& l) { return handle_of(l.text) == handle; });
      });
      if (rule) return at(*rule);
      if (const auto line = dumped_rule(handle))
        return none(FlowRemark::rule_not_on_path, {f_.nft_table, f_.nft_chain, handle, std::string(trim(*line))});
      // iptables-save and `nft list ruleset` print no handles: then the packet is in the chain, and by which rule is
      // not known.
      const auto hop = find(in_chain);
      if (hop && f_.nft_verdict != "drop" &&
          !handle_of(walked_.hops[*hop].evidence.empty() ? "" : walked_.hops[*hop].evidence.front().text))
        return at(*hop);
      return none(FlowRemark::rule_not_dumped, {f_.nft_table, f_.nft_chain, handle});
    }
    return find_or(in_chain, FlowRemark::chain_not_on_path, {f_.nft_table, f_.nft_chain});
  }

  std::optional<std::string_view> dumped_rule(std::uint64_t handle) const {
    const cluster::Node* node = cluster_.node(e_.node);
    if (node == nullptr) return std::nullopt;
    for (const netfilter::Table& table : node->host.nft.value.tables)
      for (const netfilter::Chain& chain : table.chains)
        for (const netfilter::Rule& rule : chain.rules)
          if (table.name == f_.nft_table && chain.name == f_.nft_chain)
            if (const auto line = cluster_.sources->line_text(rule.from); handle_of(line) == handle) return line;
    return std::nullopt;
  }

  // Full queues, damaged packets, processes and programs are nothing that dumps show.
  static bool is_predictable(DropKind kind) {
    switch (kind) {
      case DropKind::netfilter:
      case DropKind::source_check:
      case DropKind::routing:
      case DropKind::open_vswitch:
      case DropKind::neighbour:
      case DropKind::size:
      case DropKind::ttl: return true;
      default: return false;
    }
  }

  Aligned at_drop() const {
    const DropKind kind = drop_reason(f_.drop_subsystem, f_.drop_reason).kind;
    const auto& stop = walked_.stopped_at;
    const bool ends_here = stop && stop->node == e_.node;
    if (ends_here && (kind == DropKind::unspecified || is_by(kind, stop->reason))) {
      Aligned found = at(walked_.hops.size() - 1);
      if (kind != DropKind::unspecified) found.drop_predicted = true;
      return found;
    }
    Aligned found = where_dropped(kind);
    if (is_predictable(kind)) found.drop_predicted = false;
    return found;
  }

  Aligned where_dropped(DropKind kind) const {
    switch (kind) {
      case DropKind::open_vswitch:  // by which of its flows is not known: where the packet entered it
        return find_or(is_switch, FlowRemark::switch_not_on_path, {e_.node});
      case DropKind::netfilter: return in_stack(is_netfilter);
      case DropKind::source_check:
      case DropKind::routing:
      case DropKind::ttl: return in_stack(is_routing);
      case DropKind::listener:
      case DropKind::connection: return at_end_of_stack();
      case DropKind::neighbour: return in_stack([this](const Hop& hop) { return is_stack(hop) && hop.at.device == e_.device; });
      default:
        if (!e_.device.empty())
          if (const auto named = find([this](const Hop& hop) { return hop.at.device == e_.device; })) return at(*named);
        return find_or([](const Hop&) { return true; }, FlowRemark::node_not_on_path, {e_.node});
    }
  }

  const EventPlace& e_;
  const EventFacts& f_;
  const WalkedPath& walked_;
  const std::string& from_;
  const std::string& to_;
  const cluster::Cluster& cluster_;
  const std::size_t begin_;
};

}  // namespace

Aligned align(const EventPlace& event, const WalkedPath& walked, const std::string& from, const std::string& to,
              const cluster::Cluster& cluster, std::size_t before) {
  return Aligner(event, walked, from, to, cluster, before).align();
}

}  // namespace egt::explain::capture_study
