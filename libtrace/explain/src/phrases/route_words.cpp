#include <fmt/format.h>

#include "rule_words.h"

namespace egt::explain {
namespace {

using engine::RouteMiss;
using engine::Selector;

std::string port_range_words(const host::PortRange& r) {
  if (r.mask != 0xffff) return fmt::format("{:#x}/{:#x}", r.first, r.mask);
  return r.first == r.last ? fmt::format("{}", r.first) : fmt::format("{}-{}", r.first, r.last);
}
std::string dscp_words(const host::PolicyRule& r) {
  const unsigned value = r.dscp.value_or(0);
  return r.dscp_mask == 0x3f ? fmt::format("{}", value) : fmt::format("{:#x}/{:#x}", value, r.dscp_mask);
}
std::string device_words(const std::string& name) { return name.empty() ? "none" : name; }

struct AskedOfRoute {
  std::string name, actual, wanted;
};

AskedOfRoute asked_of_route(const RouteMiss& m) {
  const host::PolicyRule& r = *m.rule;
  const engine::RouteQuery& q = m.query;
  switch (m.selector) {
    case Selector::source: return {"source", q.from ? q.from->to_string() : "not chosen yet", r.from_prefix.to_short_string()};
    case Selector::destination: return {"destination", q.to.to_string(), r.to_prefix.to_short_string()};
    case Selector::tos: return {"tos", fmt::format("{:#x}", q.tos), fmt::format("{:#x}", r.tos.value_or(0))};
    case Selector::dscp: return {"dscp", fmt::format("{}", q.dscp), dscp_words(r)};
    case Selector::protocol:
      return {"protocol", proto_name(q.proto, q.to.family), proto_name(r.ip_proto.value_or(0), q.to.family)};
    case Selector::source_port:
      return {"sport", fmt::format("{}", q.sport), port_range_words(r.sport.value_or(host::PortRange{}))};
    case Selector::destination_port:
      return {"dport", fmt::format("{}", q.dport), port_range_words(r.dport.value_or(host::PortRange{}))};
    case Selector::in_device: return {"iif", device_words(q.in_device), r.iif};
    case Selector::out_device: return {"oif", device_words(q.out_device), r.oif};
    case Selector::mark:
      return {"mark", fmt::format("{:#x}", q.mark),
              r.fwmask == 0xffffffff ? fmt::format("{:#x}", r.fwmark.value_or(0))
                                     : fmt::format("{:#x}/{:#x}", r.fwmark.value_or(0), r.fwmask)};
    case Selector::vrf: return {"VRF", "none", "one"};
  }
  return {};
}

}  // namespace

std::string near_miss_place(const RouteMiss& m) {
  if (m.winner != nullptr) return fmt::format("route {}", m.route->to.to_short_string());
  return fmt::format("ip rule {}", m.rule->priority);
}

std::string near_miss_words(const RouteMiss& m) {
  switch (m.why) {
    case RouteMiss::Why::selector: {
      const AskedOfRoute a = asked_of_route(m);
      return fmt::format("{} is {}, the rule matches {}", a.name, a.actual, a.wanted);
    }
    case RouteMiss::Why::no_route: return fmt::format("its table {} has no route to {}", m.rule->table, m.query.to.to_string());
    case RouteMiss::Why::suppressed:
      return fmt::format("the rule suppresses what its table {} has for {}: {}", m.rule->table, m.query.to.to_string(),
                         m.route->to.to_short_string());
    case RouteMiss::Why::thrown:
      return fmt::format("its table {} throws {} back to the rules", m.rule->table, m.route->to.to_short_string());
    case RouteMiss::Why::shorter: return fmt::format("{} is the longer prefix", m.winner->to.to_short_string());
    case RouteMiss::Why::later:
      if (const auto sources = host::sources_of(*m.winner); sources && sources != host::sources_of(*m.route))
        return fmt::format("the route from {} comes first", sources->to_short_string());
      return fmt::format("another route of the same prefix comes first, with metric {} to this one's {}", m.winner->metric,
                         m.route->metric);
    case RouteMiss::Why::next_hop: return "none of its next hops can be used";
  }
  return {};
}

}  // namespace egt::explain
