#include "logical_trace_words.h"

#include <fmt/format.h>

#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "flow_text.h"

namespace egt::render {
namespace {

namespace lt = engine::logical;
using ovn::Pipeline;

constexpr std::string_view kSupposed = " /* default (use --ct to customize) */";

std::string_view supposed(const lt::Transformed& t) { return t.ct_state_supposed ? kSupposed : std::string_view(); }

template <class T>
const T& argument(const ovn::Action* action) {
  return std::get<T>(action->kind);
}

std::string text(const lt::Entered& e) {
  if (e.group) return fmt::format("multicast(dp=\"{}\", mcgroup=\"{}\")", e.datapath->friendly, e.group->name);
  std::string out = fmt::format("{}(dp=\"{}\"", e.pipeline == Pipeline::ingress ? "ingress" : "egress", e.datapath->friendly);
  if (e.shows_inport) out += fmt::format(", inport=\"{}\"", e.inport);
  if (e.shows_outport) out += fmt::format(", outport=\"{}\"", e.outport);
  return out + ')';
}

std::string text(const lt::Moved& m) {
  const bool whole_field = m.from.first == 0 && m.from.bits >= field(m.from.field).bits;
  return fmt::format("{} = {}", to_string(m.to), whole_field ? field_text(m.from.field, m.value) : hex(m.value, true));
}

std::string text(const lt::Stacked& s) {
  if (s.push) return fmt::format("push({}) -> {}", to_string(s.field), hex(s.value.value_or(0), true));
  return fmt::format("pop({}) <- {}", to_string(s.field), s.value ? hex(*s.value, true) : "/* empty stack */");
}

std::string text(const lt::Became& b) {
  return b.as_comment ? fmt::format("/* {} = {}; */", to_string(b.field), b.value)
                      : fmt::format("{} = {}", to_string(b.field), b.value);
}

std::string nat_text(const lt::Transformed& t) {
  const auto& nat = argument<ovn::CtNat>(t.action);
  const char d = nat.destination ? 'd' : 's';
  std::string out = fmt::format("ct_{}nat{}", d, nat.in_czone ? "in_czone" : "");
  if (nat.address)
    out += fmt::format("({}.{}={})", nat.address->is_v4() ? "ip4" : "ip6", nat.destination ? "dst" : "src",
                       nat.address->to_string());
  else
    out += fmt::format(" /* assuming no un-{}nat entry, so no change */", d);
  return out + std::string(supposed(t));
}

std::string log_text(const lt::Transformed& t) {
  const auto& log = argument<ovn::Log>(t.action);
  return fmt::format("LOG: ACL name={}, direction={}, verdict={}, severity={}, packet=\"{}\"", log.name.value_or("<unnamed>"),
                     t.direction, log_verdict_name(log.verdict), ovn::log_severity_name(log.severity), flow_text(*t.packet));
}

std::string text(const lt::Transformed& t) {
  using K = lt::Transformed::Kind;
  switch (t.kind) {
    case K::clone: return "clone";
    case K::arp: return "arp";
    case K::icmp4: return "icmp4";
    case K::icmp6: return "icmp6";
    case K::tcp_reset: return "tcp_reset";
    case K::sctp_abort: return "sctp_abort";
    case K::nd_na: return "nd_na";
    case K::nd_ns: return "nd_ns";
    case K::ct_next: return fmt::format("ct_next(ct_state={}{})", ct_state_text(t.ct_state), supposed(t));
    case K::ct_nat: return nat_text(t);
    case K::ct_commit_nat: return fmt::format("ct_commit_nat /* assuming no un-nat entry, so no change */{}", supposed(t));
    case K::ct_commit_to_zone: {
      const bool dnat = argument<ovn::CtCommitToZone>(t.action).zone == ovn::CtZone::dnat;
      return fmt::format("ct_commit_to_zone({}){}", dnat ? "dnat" : "snat", supposed(t));
    }
    case K::ct_lb: {
      using L = ovn::CtLb::Kind;
      const L kind = argument<ovn::CtLb>(t.action).kind;
      return fmt::format("{}{}", kind == L::label ? "ct_lb" : kind == L::mark ? "ct_lb_mark" : "ct_lb_mark_local", supposed(t));
    }
    case K::select:
      return fmt::format("select: {} = {}{}", to_string(argument<ovn::Select>(t.action).result), t.selected,
                         t.selected_by_caller ? "" : " /* Randomly selected. Use --select-id to specify. */");
    case K::log: return log_text(t);
  }
  return {};
}

std::string options_text(const ovn::PutOptions& put) {
  static constexpr std::string_view kNames[] = {"put_dhcp_opts", "put_dhcpv6_opts", "put_nd_ra_opts"};
  std::string out;
  for (const ovn::NamedOption& o : put.options)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", o.name, to_string(o.values));
  return fmt::format("{}({})", kNames[static_cast<unsigned>(put.kind)], out);
}

std::string without_semicolon(std::string text) {
  if (text.ends_with(';')) text.pop_back();
  return text;
}

std::string mapped_text(const IpAddr& ip) { return ip.to_string(); }

std::string text(const lt::Remark& r) {
  using K = lt::Remark::Kind;
  const auto mac = [&] { return MacAddr{r.number}.to_string(); };
  switch (r.kind) {
    case K::null_port: return "*** output to null logical port";
    case K::unknown_port: return fmt::format("*** unknown port or multicast group {}", r.number);
    case K::no_distributed_port:
      return fmt::format("*** output to type \"{}\" port \"{}\" with no or invalid distributed port", r.type, r.name);
    case K::ttl_underflow: return "*** TTL underflow";
    case K::ttl_not_ip: return "*** TTL decrement of non-IP packet";
    case K::no_backend: return "*** no load balancing destination (use --lb-dst)";
    case K::dns_lookup: return "*** dns_lookup action not implemented";
    case K::dhcp_request: return "/* We assume that this packet is DHCPDISCOVER or DHCPREQUEST. */";
    case K::dhcp_relay_response:
      return "/* We assume that this packet is DHCPOFFER or DHCPACK and DHCP broadcast flag is set. Dest IP is set to "
             "broadcast. Dest MAC is set to broadcast but in real network this is unicast which is extracted from DHCP "
             "header. */";
    case K::no_mirror_port: return "/* omitting output because no taget port found. */";
    case K::limit: return "*** the packet passes too many tables; it may loop";
    case K::output_to: return fmt::format("/* output to \"{}\", type \"{}\" */", r.name, r.type);
    case K::omitted_loopback: return "/* omitting output because inport == outport && !flags.loopback */";
    case K::replaced_chassisredirect:
      return fmt::format("/* Replacing type \"{}\" outport \"{}\" with distributed port \"{}\". */", r.type, r.name,
                         r.other_name);
    case K::remote_fdb: return "/* The remote FDB table is different per each chassis. */";
    case K::flood_remote: return "/* Flood to all remote chassis */";
    case K::binding: return fmt::format("/* MAC binding to {}. */", mac());
    case K::no_binding: return "/* No MAC binding. */";
    case K::binding_found: return fmt::format("/* MAC binding to {} found. */", mac());
    case K::binding_found_ip: return "/* MAC binding found. */";
    case K::binding_missing: return "/* lookup failed - No MAC binding. */";
    case K::fdb_found: return fmt::format("/* MAC lookup for {} found in FDB. */", mac());
    case K::fdb_missing: return "/* lookup mac failed in mac learning table. */";
    case K::nat_to_vip: return fmt::format("/* nat(src={}) */", r.name);
    case K::evpn_unavailable:
      return fmt::format("/* EVPN ARP lookup for {}: not available in trace. */", r.ip ? mapped_text(*r.ip) : "");
    case K::ttl_decremented: return "ip.ttl--";
    case K::eth_dst: return fmt::format("eth.dst = {}", mac());
    case K::put_options: return options_text(argument<ovn::PutOptions>(r.action));
    case K::ovn_field: return without_semicolon(to_string(*r.action));
  }
  return {};
}

std::string stage_text(const lt::Stage& s, const engine::LogicalNetwork& network, bool friendly) {
  std::string out = fmt::format("{:2}. ", s.table);
  if (s.flow == nullptr) return out + fmt::format("{}{}no match (implicit drop)", s.name, s.name.empty() ? "" : ": ");
  const ovn::sb::LogicalFlow& row = *s.flow->row;
  if (!row.stage.empty() && !row.source.empty())
    out += fmt::format("{} ({}): ", row.stage, row.source);
  else if (!row.stage.empty())
    out += fmt::format("{}: ", row.stage);
  else if (!row.source.empty())
    out += fmt::format("({}): ", row.source);
  return out + fmt::format("{}, priority {}, uuid {:08x}", with_friendly_names(row.match, network, friendly), row.priority,
                           row.uuid.prefix());
}

// The text between quotes without its escapes, as far as names of ports have any.
std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

// The end of the blanks and comments at `i`.
std::size_t past_blanks(std::string_view text, std::size_t i) {
  for (;;) {
    i = std::min(text.find_first_not_of(" \t\n\v\f\r", i), text.size());
    const std::string_view rest = text.substr(i);
    const bool line = rest.starts_with("//");
    if (!line && !rest.starts_with("/*")) return i;
    const std::size_t end = rest.find(line ? "\n" : "*/", 2);
    if (end == std::string_view::npos) return text.size();
    i += end + (line ? 1 : 2);
  }
}

// The end of the string of which the first quote is at `i`.
std::size_t past_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i)
    if (text[i] == '\\') ++i;
  return std::min(i + 1, text.size());
}

}  // namespace

// As ovn-trace copies the text token by token, what stands behind the last one is left out.
std::string with_friendly_names(std::string_view text, const engine::LogicalNetwork& network, bool friendly) {
  if (!friendly) return std::string(text);
  std::string out;
  std::size_t done = 0;
  for (;;) {
    const std::size_t token = past_blanks(text, done);
    if (token >= text.size()) return out;
    const bool is_string = text[token] == '"';
    const std::size_t end = is_string ? past_string(text, token) : token + 1;
    const engine::NetworkPort* port =
        is_string && end - token >= 2 ? network.ports().find(unquoted(text.substr(token + 1, end - token - 2))) : nullptr;
    out += port ? std::string(text.substr(done, token - done)) + ovn::quoted(port->friendly)
                : std::string(text.substr(done, end - done));
    done = end;
  }
}

namespace {

std::string other_text(const lt::Node& node, const engine::LogicalNetwork& network, bool friendly) {
  if (const auto* stage = std::get_if<lt::Stage>(&node.what)) return stage_text(*stage, network, friendly);
  if (std::holds_alternative<lt::Executed>(node.what)) return "drop;";
  if (const auto* assigned = std::get_if<lt::Assigned>(&node.what)) return without_semicolon(to_string(*assigned->action));
  if (const auto* delivered = std::get_if<lt::Delivered>(&node.what)) return fmt::format("output(\"{}\")", delivered->port);
  if (const auto* entered = std::get_if<lt::Entered>(&node.what)) return text(*entered);
  if (const auto* moved = std::get_if<lt::Moved>(&node.what)) return text(*moved);
  if (const auto* stacked = std::get_if<lt::Stacked>(&node.what)) return text(*stacked);
  if (const auto* became = std::get_if<lt::Became>(&node.what)) return text(*became);
  if (const auto* transformed = std::get_if<lt::Transformed>(&node.what)) return text(*transformed);
  return text(std::get<lt::Remark>(node.what));
}

}  // namespace

const std::string& NodeTexts::of(const lt::Node& node) {
  const auto* stage = std::get_if<lt::Stage>(&node.what);
  if (stage != nullptr && stage->flow != nullptr) {
    const auto [it, fresh] = of_flows_.try_emplace(stage->flow);
    if (fresh) it->second = stage_text(*stage, network_, friendly_);
    return it->second;
  }
  const auto* executed = std::get_if<lt::Executed>(&node.what);
  if (executed != nullptr && executed->action != nullptr) {
    const auto [it, fresh] = of_actions_.try_emplace(executed->action);
    if (fresh) it->second = with_friendly_names(to_string(*executed->action), network_, friendly_);
    return it->second;
  }
  return other_ = other_text(node, network_, friendly_);
}

}  // namespace egt::render
