#include "difference/host_text.h"

#include "egtrace/base/text.h"

namespace egt::assess {
namespace {

std::string next_hops(const host::Route& r) {
  return joined(r.next_hops, [](const host::NextHop& h) {
    return fmt::format("{}{}dev {}{}", h.via ? "via " + h.via->to_string() + " " : "", h.onlink ? "onlink " : "", h.device,
                       h.weight == 1 ? "" : fmt::format(" weight {}", h.weight));
  });
}

std::string_view type_name(host::RouteType type) {
  static constexpr std::string_view kNames[] = {"unicast", "local",       "broadcast", "multicast", "anycast",
                                                "throw",   "unreachable", "prohibit",  "blackhole", "nat"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string ports_text(const host::PortRange& r) {
  return r.mask == 0xffff ? fmt::format("{}-{}", r.first, r.last) : fmt::format("{:#x}/{:#x}", r.first, r.mask);
}

}  // namespace

std::string route_text(const host::Route& r) {
  return fmt::format("{} {}{} metric {}{}", type_name(r.type), next_hops(r),
                     r.source_hint ? " src " + r.source_hint->to_string() : "", r.metric,
                     r.not_modelled.empty() ? "" : fmt::format(" {}", fmt::join(r.not_modelled, " ")));
}

std::string rule_text(const host::PolicyRule& r) {
  std::string text = r.negate ? "not" : "";
  const auto more = [&](bool there, const std::string& word) {
    if (there) text += (text.empty() ? "" : " ") + word;
  };
  more(true, "from " + (r.has_from ? r.from_prefix.to_string() : std::string("all")));
  more(r.has_to, "to " + r.to_prefix.to_string());
  if (r.fwmark) more(true, fmt::format("fwmark 0x{:x}/0x{:x}", *r.fwmark, r.fwmask));
  more(!r.iif.empty(), "iif " + r.iif);
  more(!r.oif.empty(), "oif " + r.oif);
  if (r.tos) more(true, fmt::format("tos {}", *r.tos));
  if (r.dscp) more(true, fmt::format("dscp {}/{}", *r.dscp, r.dscp_mask));
  if (r.ip_proto) more(true, fmt::format("ipproto {}", *r.ip_proto));
  if (r.sport) more(true, "sport " + ports_text(*r.sport));
  if (r.dport) more(true, "dport " + ports_text(*r.dport));
  if (r.uid_range) more(true, fmt::format("uidrange {}-{}", r.uid_range->first, r.uid_range->second));
  more(r.l3mdev, "l3mdev");
  static constexpr std::string_view kActions[] = {"lookup", "goto", "blackhole", "unreachable", "prohibit", "nop"};
  more(true, std::string(kActions[static_cast<std::size_t>(r.action)]));
  more(!r.table.empty(), r.table);
  if (r.goto_priority) more(true, std::to_string(*r.goto_priority));
  if (r.suppress_prefix_length) more(true, fmt::format("suppress_prefixlength {}", *r.suppress_prefix_length));
  for (const std::string& word : r.not_modelled) more(true, word);
  return text;
}

std::string without_counters(std::string_view line) {
  line = trim(line);
  if (line.starts_with("["))
    if (const std::size_t end = line.find("] "); end != std::string_view::npos) line.remove_prefix(end + 2);
  line = trim(line.substr(0, line.find(" # handle ")));
  std::string text;
  const std::string_view counter = "counter packets ";
  for (std::size_t at = line.find(counter); at != std::string_view::npos; at = line.find(counter)) {
    text += line.substr(0, at + counter.size() - 9);  // "counter"
    line.remove_prefix(at + counter.size());
    for (const char* skip : {"0123456789", " ", "bytes", " ", "0123456789"})
      line.remove_prefix(std::min(line.find_first_not_of(skip), line.size()));
  }
  return text + std::string(line);
}

std::string_view family_name(netfilter::TableFamily family) {
  using enum netfilter::TableFamily;
  switch (family) {
    case ip: return "ip";
    case ip6: return "ip6";
    case inet: return "inet";
    case arp: return "arp";
    case bridge: return "bridge";
    case netdev: return "netdev";
  }
  return "";
}

}  // namespace egt::assess
