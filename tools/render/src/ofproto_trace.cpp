#include "egtrace/render/ofproto_trace.h"

#include <fmt/format.h>

#include <array>

namespace egt::render {
namespace {

using namespace engine::ofproto;
using F = FieldId;

constexpr std::size_t kRule = 79;        // '=' around a recirculation's title
constexpr std::size_t kFieldWords = 75;  // words of a FlowKey that OpenFlow fields use

void mask(FlowKey& m, F f) { m.set(f, ~U128{0}); }

std::uint16_t type_of(const FlowKey& k) {
  const auto type = k.u32(F::packet_type);
  return static_cast<std::uint16_t>(type >> 16 == 1 ? type : k.u32(F::eth_type));
}

bool is_nd(const FlowKey& k) {
  return type_of(k) == ethertype::ipv6 && k.u64(F::nw_proto) == ip_proto::icmp6 && k.u64(F::tp_dst) == 0 &&
         (k.u64(F::tp_src) == 135 || k.u64(F::tp_src) == 136);
}

bool has_tunnel(const FlowKey& k) { return k.get(F::tun_dst) != 0 || k.get(F::tun_ipv6_dst) != 0; }

void mask_tunnel(const FlowKey& k, FlowKey& m) {
  if (!has_tunnel(k)) {
    if (k.u64(F::tun_id) != 0) mask(m, F::tun_id);
    return;
  }
  if (get(k, Extra::tun_header_flags) & 8) mask(m, F::tun_id);
  for (const F f : {F::tun_src, F::tun_dst, F::tun_ipv6_src, F::tun_ipv6_dst, F::tun_flags, F::tun_tos, F::tun_ttl,
                    F::tun_gbp_id, F::tun_gbp_flags, F::tun_erspan_ver, F::tun_gtpu_flags, F::tun_gtpu_msgtype})
    mask(m, f);
  set(m, Extra::tun_header_flags, 14);
  for (unsigned i = 0; i < 8; ++i)
    if (get(k, Extra::tun_present) >> i & 1) mask(m, static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i));
}

void mask_transport(const FlowKey& k, FlowKey& m) {
  for (const F f : {F::ip_frag, F::nw_tos, F::nw_ecn, F::nw_ttl, F::ct_tp_src, F::ct_tp_dst, F::ct_nw_proto})
    mask(m, f);
  m.set(F::nw_proto, 0xff);
  const auto proto = k.u64(F::nw_proto);
  if (k.u64(F::ip_frag) & ip_frag::later) return;
  for (const unsigned p :
       {ip_proto::icmp, ip_proto::icmp6, ip_proto::tcp, ip_proto::udp, ip_proto::sctp, ip_proto::igmp})
    if (proto == p) mask(m, F::tp_src), mask(m, F::tp_dst);
  if (proto == ip_proto::tcp) mask(m, F::tcp_flags);
}

void mask_headers(const FlowKey& k, FlowKey& m) {
  if (k.u32(F::packet_type) == 0) {
    for (const F f : {F::eth_dst, F::eth_src, F::eth_type, F::vlan_tci}) mask(m, f);
    if (k.u64(F::vlan_tci) != 0) mask(m, F::vlan_tci1);
  }
  switch (type_of(k)) {
    case ethertype::ipv4:
      for (const F f : {F::ip_src, F::ip_dst, F::ct_nw_src, F::ct_nw_dst}) mask(m, f);
      return mask_transport(k, m);
    case ethertype::ipv6:
      for (const F f : {F::ipv6_src, F::ipv6_dst, F::ipv6_label}) mask(m, f);
      // Asking whether it is neighbour discovery shows what was asked for, in later fragments too.
      if (k.u64(F::nw_proto) == ip_proto::icmp6) {
        mask(m, F::tp_dst);
        if (k.u64(F::tp_dst) == 0) mask(m, F::tp_src);
      }
      if (is_nd(k)) {
        for (const F f : {F::nd_target, F::nd_sll, F::nd_tll}) mask(m, f);
      } else {
        for (const F f : {F::ct_ipv6_src, F::ct_ipv6_dst}) mask(m, f);
      }
      return mask_transport(k, m);
    case ethertype::arp:
    case ethertype::rarp:
      for (const F f : {F::ip_src, F::ip_dst, F::arp_sha, F::arp_tha}) mask(m, f);
      m.set(F::nw_proto, 0xff);
      return;
    case ethertype::mpls:
    case ethertype::mplsm:
      for (const F f : {F::mpls_label, F::mpls_tc, F::mpls_ttl, F::mpls_bos}) mask(m, f);
      if (k.u64(F::mpls_bos) != 0) return;
      set(m, Extra::mpls_lse1, ~std::uint64_t{0});
      if (!(get(k, Extra::mpls_lse1) & 0x100)) set(m, Extra::mpls_lse2, ~std::uint64_t{0});
      return;
    case ethertype::nsh:
      for (const F f : {F::nsh_flags, F::nsh_ttl, F::nsh_mdtype, F::nsh_np, F::nsh_spi, F::nsh_si, F::nsh_c1, F::nsh_c2,
                        F::nsh_c3, F::nsh_c4})
        mask(m, f);
      return mask_transport(k, m);
    default:
      return;
  }
}

// What flow_format() shows of a packet: all of its headers, and of its metadata what is not zero.
FlowKey mask_of_packet(const FlowKey& k) {
  FlowKey m;
  mask_tunnel(k, m);
  mask_headers(k, m);
  for (const F f :
       {F::skb_priority, F::pkt_mark, F::recirc_id, F::dp_hash, F::ct_zone, F::ct_mark, F::ct_label, F::metadata})
    if (k.get(f) != 0) mask(m, f);
  if (k.u64(F::ct_state) != 0) m.set(F::ct_state, 0xff);
  if (k.u64(F::in_port) != 0) mask(m, F::in_port);
  mask(m, F::packet_type);
  using namespace ct_state;
  const auto state = k.u64(F::ct_state);
  const bool valid = state & (new_ | est | rel | rpl | snat | dnat) || ((state & trk) && !(state & inv));
  if (!valid || k.u64(F::ct_nw_proto) == 0)
    for (const F f :
         {F::ct_nw_proto, F::ct_tp_src, F::ct_tp_dst, F::ct_nw_src, F::ct_nw_dst, F::ct_ipv6_src, F::ct_ipv6_dst})
      m.set(f, 0);
  for (auto id = static_cast<unsigned>(F::reg0); id <= static_cast<unsigned>(F::reg15); ++id)
    if (k.get(static_cast<F>(id)) != 0) mask(m, static_cast<F>(id));
  return m;
}

std::string tunnel_flags(const FlowKey& k, const FlowKey& m) {
  const auto value = get(k, Extra::tun_header_flags) | k.u64(F::tun_flags);
  const auto bits = get(m, Extra::tun_header_flags) | m.u64(F::tun_flags);
  constexpr std::array kNames = {"oam", "df", "csum", "key"};
  std::string out;
  if (bits == 15) {
    for (unsigned i = 0; i < 4; ++i)
      if (value >> i & 1) (out += out.empty() ? "" : "|") += kNames[i];
    return out.empty() ? "0" : out;
  }
  for (unsigned i = 0; i < 4; ++i)
    if (bits >> i & 1) (out += value >> i & 1 ? "+" : "-") += kNames[i];
  return out;
}

class TextWriter {
 public:
  TextWriter(const Trace& trace, const openflow::Bridge& bridge, const OpenFlowText& text,
             const OfprotoTraceStyle& style)
      : trace_(trace), bridge_(bridge), text_(text), style_(style), at_(&bridge) {}

  std::string write() {
    for (const TracePass& pass : trace_.passes) {
      if (pass.resumption) title(*pass.resumption);
      write(pass);
    }
    if (trace_.limit_reached) {
      out_ += "\n\n" + std::string(kRule, '=');
      out_ += fmt::format(
          "\nTrace reached the recirculation limit.  Sopping the trace here.\nQueued but not processed: {} "
          "recirculations.",
          trace_.not_processed);
    }
    return std::move(out_);
  }

 private:
  std::string match(const FlowKey& value, FlowKey m) const;
  std::string flow_match(const openflow::Bridge& b, openflow::FlowIndex i) const {
    return named(text_.match(b.flows->match(b.flows->flow(i))), b);
  }
  std::string named(std::string match, const openflow::Bridge& b) const;
  void title(const TracePass::Resumption& r);
  void write(const TracePass& pass);
  void nodes(const std::vector<TraceNode>& nodes);
  std::string line(const TraceNode& n);
  std::string action(const Ofpact& o) const;
  std::string list(const Ofpacts& list) const;
  std::string value(const Note& n) const;
  std::string note(const Note& n) const;

  const Trace& trace_;
  const openflow::Bridge& bridge_;
  const OpenFlowText& text_;
  const OfprotoTraceStyle& style_;
  const openflow::Bridge* at_;  // whose port names are meant
  std::string out_;
};

// Puts names in the place of port numbers.
std::string TextWriter::named(std::string match, const openflow::Bridge& b) const {
  if (!style_.names) return match;
  const std::size_t at = match.find("in_port=");
  if (at == std::string::npos) return match;
  const std::size_t begin = at + 8, end = std::min(match.find(',', begin), match.size());
  const std::string word = match.substr(begin, end - begin);
  std::uint32_t number = word == "LOCAL" ? openflow::port::local : 0;
  if (!word.empty() && word.front() >= '0' && word.front() <= '9')
    number = static_cast<std::uint32_t>(std::stoul(word));
  const openflow::Interface* i = b.by_ofport(number);
  if (i) match.replace(begin, end - begin, text_.port({0, i->name}));
  return match;
}

// Types and codes of ICMP are 16 bits wide in the switch, of which a megaflow looks at eight.
void show_narrow_mask(std::string& match, std::string_view name, std::uint64_t bits) {
  const std::size_t at = match.find(name);
  if (bits != 0xff || at == std::string::npos) return;
  const std::size_t begin = at + name.size(), end = std::min(match.find(',', begin), match.size());
  match.replace(begin, end - begin, fmt::format("{:#x}/0xff", std::stoul(match.substr(begin, end - begin))));
}

std::string TextWriter::match(const FlowKey& value, FlowKey m) const {
  for (const openflow::TlvMapping& t : bridge_.tlv_map) {
    const F f = static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + t.index);
    if (t.index >= 8 || m.get(f) == 0) continue;
    const U128 all = ones(t.length * 8u);
    m.set(f, (m.get(f) & all) == all ? ~U128{0} : m.get(f) & all);
  }
  const bool flags = get(m, Extra::tun_header_flags) != 0 || m.u64(F::tun_flags) != 0;
  const std::string own_flags = flags ? tunnel_flags(value, m) : std::string();
  if (flags) mask(m, F::tun_flags);
  openflow::Match view;
  for (std::size_t i = 0; i < kFieldWords; ++i)
    if (m.word(i) != 0) view.require({static_cast<std::uint8_t>(i), value.word(i) & m.word(i), m.word(i)});
  std::string out = text_.match(view.view());
  show_narrow_mask(out, "icmp_type=", m.u64(F::tp_src));
  show_narrow_mask(out, "icmp_code=", m.u64(F::tp_dst));
  if (flags) {
    const std::size_t at = out.find("tun_flags=") + 10;
    out.replace(at, 4, own_flags);
  }
  for (const Extra e : {Extra::mpls_lse1, Extra::mpls_lse2}) {
    const auto bits = get(m, e);
    if (bits == 0) continue;
    const std::string name = e == Extra::mpls_lse1 ? "mpls_lse1" : "mpls_lse2";
    const std::string term = bits == 0xffffffff ? fmt::format(",{}={}", name, get(value, e))
                                                : fmt::format(",{}=0x{:x}/0x{:x}", name, get(value, e) & bits, bits);
    out += term;
  }
  return named(std::move(out), bridge_);
}

void TextWriter::title(const TracePass::Resumption& r) {
  out_ += "\n\n" + std::string(kRule, '=');
  out_ += fmt::format("\nrecirc(0x{:x})", r.recirc_id);
  if (r.conntrack && r.by_default) {
    out_ += " - resume conntrack with default ct_state=trk|new (use --ct-next to customize)";
  } else if (r.conntrack) {
    constexpr std::array kStates = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
    std::string words;
    for (std::size_t i = 0; i < kStates.size(); ++i)
      if (r.ct_state >> i & 1) (words += words.empty() ? "" : "|") += kStates[i];
    out_ += " - resume conntrack with ct_state=" + (words.empty() ? "0" : words);
  } else {
    out_ += " - resume with one bucket of the group";
  }
  out_ += '\n';
  if (r.nat) {
    const auto addresses = [&](const FlowKey& k) -> std::string {
      if (!r.nat->addresses || r.nat->kind == openflow::Nat::Kind::bare) return "";
      const bool v4 = r.nat->addresses->first.is_v4();
      if (v4)
        return fmt::format("nw_src={},tp_src={},nw_dst={},tp_dst={}", IpAddr::v4(k.u32(F::ip_src)).to_string(),
                           k.u64(F::tp_src), IpAddr::v4(k.u32(F::ip_dst)).to_string(), k.u64(F::tp_dst));
      return fmt::format("ipv6_src=[{}],tp_src={},ipv6_dst=[{}],tp_dst={}", IpAddr::v6(k.get(F::ipv6_src)).to_string(),
                         k.u64(F::tp_src), IpAddr::v6(k.get(F::ipv6_dst)).to_string(), k.u64(F::tp_dst));
    };
    out_ += "Replacing src/dst IP/ports to simulate NAT:\n Initial flow: " + addresses(r.before) +
            "\n Modified flow: " + addresses(r.after) + "\n";
  }
  out_ += std::string(kRule, '=') + "\n\n";
}

const char* error_text(XlateError e) {
  switch (e) {
    case XlateError::ok:
      return "OK";
    case XlateError::bridge_not_found:
      return "Bridge not found";
    case XlateError::recursion_too_deep:
      return "Recursion too deep";
    case XlateError::too_many_resubmits:
      return "Too many resubmits";
    case XlateError::stack_too_deep:
      return "Stack too deep";
    case XlateError::no_recirculation_context:
      return "No recirculation context";
    case XlateError::too_many_mpls_labels:
      return "Too many MPLS labels";
    case XlateError::invalid_tunnel_metadata:
      return "Invalid tunnel metadata";
    case XlateError::unsupported_packet_type:
      return "Unsupported packet type";
    case XlateError::congestion_drop:
      return "Congestion Drop";
    case XlateError::forwarding_disabled:
      return "Forwarding is disabled";
  }
  return "";
}

void TextWriter::write(const TracePass& pass) {
  out_ += "Flow: " + match(pass.initial, mask_of_packet(pass.initial)) + "\n";
  nodes(pass.nodes);
  out_ += "\nFinal flow: ";
  out_ += pass.initial == pass.final_flow ? "unchanged" : match(pass.final_flow, mask_of_packet(pass.final_flow));
  out_ += "\nMegaflow: " + match(pass.initial, pass.megaflow_mask);
  out_ += "\nDatapath actions: " + datapath_actions_text(pass.actions, style_.names);
  if (pass.error != XlateError::ok) {
    out_ += fmt::format("\nTranslation failed ({}), packet is dropped.\n", error_text(pass.error));
  } else if (pass.slow) {
    out_ +=
        "\nThis flow is handled by the userspace slow path because it:\n  - Uses action(s) not supported by datapath.";
  }
}

// oftrace_node_print_details: the last of several nodes stays in the column of its list, all others go one level in.
void TextWriter::nodes(const std::vector<TraceNode>& all) {
  std::vector<bool> has_sibling(all.size(), false);
  std::vector<bool> seen;  // by depth: whether a later node stands in the same list
  for (std::size_t i = all.size(); i-- > 0;) {
    const std::size_t d = all[i].depth;
    if (seen.size() <= d) seen.resize(d + 1, false);
    has_sibling[i] = seen[d];
    seen[d] = true;
    for (std::size_t deeper = d + 1; deeper < seen.size(); ++deeper) seen[deeper] = false;
  }
  std::vector<unsigned> level{0};  // by depth: of the list's own column
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TraceNode& n = all[i];
    const bool terminal = n.kind == NodeKind::action || n.kind == NodeKind::detail || n.kind == NodeKind::warning ||
                          n.kind == NodeKind::error || n.kind == NodeKind::bucket;
    const unsigned more = has_sibling[i] || terminal ? 1 : 0;
    level.resize(n.depth + 1);
    const unsigned own = level[n.depth];
    const std::string indent((own + more) * 4, ' ');
    level.push_back(own + 2 * more);
    std::string text = line(n);
    if (n.kind == NodeKind::bridge) {
      out_ += "\n" + indent + text + "\n" + indent + std::string(text.size(), '-') + "\n";
      continue;
    }
    out_ += indent;
    if (n.kind == NodeKind::detail) out_ += " -> ";
    if (n.kind == NodeKind::warning) out_ += " >> ";
    if (n.kind == NodeKind::error) out_ += " >>>> ";
    out_ += text;
    if (n.kind == NodeKind::error) out_ += " <<<<";
    out_ += '\n';
  }
}

std::string TextWriter::action(const Ofpact& o) const {
  if (o.nat) {
    openflow::Ct ct;
    ct.nat = *o.nat;
    const std::string text = text_.action({ct});  // "ct(nat(src))"
    return text.substr(3, text.size() - 4);
  }
  if (!o.action) return fmt::format("unroll_xlate(table={}, cookie={})", o.table, o.cookie);
  if (style_.names)
    if (const auto* out = std::get_if<openflow::Output>(&o.action->kind))
      if (const openflow::Interface* i = at_->by_ofport(out->port.number); i && out->port.name.empty())
        return text_.action({openflow::Output{{0, i->name}}});
  return text_.action(*o.action);
}

std::string TextWriter::list(const Ofpacts& list) const {
  if (list.empty()) return "drop";
  std::string out;
  for (const Ofpact& o : list) (out += out.empty() ? "" : ",") += action(o);
  return out;
}

std::string TextWriter::line(const TraceNode& n) {
  if (const auto* b = std::get_if<BridgeLine>(&n.line)) return fmt::format("bridge(\"{}\")", b->name);
  if (const auto* b = std::get_if<BucketLine>(&n.line)) return fmt::format("bucket {}", b->id);
  if (const auto* a = std::get_if<ActionLine>(&n.line)) return a->drop ? "drop" : action(a->action);
  if (const auto* t = std::get_if<TableLine>(&n.line)) {
    std::string out = fmt::format("{:2}. ", t->table);
    if (t->bridge) at_ = t->bridge;
    switch (t->rule) {
      case TableLine::Rule::no_match:
        return out + "No match.";
      case TableLine::Rule::packet_in:
        return out + "No match, and a \"packet-in\" is called for.";
      case TableLine::Rule::frags_dropped:
        return out + "Packets are IP fragments and the fragment handling mode is \"drop\".";
      case TableLine::Rule::internal:
        return out + fmt::format("reg0=0x{:x}, priority 0", t->internal);
      case TableLine::Rule::flow:
        break;
    }
    const openflow::FlowEntry& f = t->bridge->flows->flow(t->flow);
    const std::string match = flow_match(*t->bridge, t->flow);
    if (!match.empty()) out += match + ", ";
    out += fmt::format("priority {}", f.priority);
    if (f.cookie != 0) out += fmt::format(", cookie 0x{:x}", f.cookie);
    return out;
  }
  return note(std::get<Note>(n.line));
}

// The value of a field as set_field would show it; of a part of a field in hexadecimal.
std::string TextWriter::value(const Note& n) const {
  if (n.field != whole(n.field.field)) return hex(n.value, true);
  const std::string text = text_.action({openflow::SetField{n.field.field, n.value, std::nullopt, "set_field"}});
  const std::size_t begin = text.find(':'), end = text.rfind("->");
  return begin == std::string::npos || end == std::string::npos ? hex(n.value, true)
                                                                : text.substr(begin + 1, end - begin - 1);
}

std::string port_word(std::uint64_t number) {
  switch (number) {
    case openflow::port::table:
      return "TABLE";
    case openflow::port::normal:
      return "NORMAL";
    case openflow::port::flood:
      return "FLOOD";
    case openflow::port::all:
      return "ALL";
    case openflow::port::controller:
      return "CONTROLLER";
    case openflow::port::none:
      return "ANY";
    case openflow::port::local:
      return "LOCAL";
    default:
      return fmt::format("{}", number);
  }
}

std::string TextWriter::note(const Note& n) const {
  switch (n.what) {
    case Remark::thaw:
      return "thaw";
    case Remark::resuming_from_table:
      return fmt::format("Resuming from table {}", n.a);
    case Remark::restored_state:
      return fmt::format("restored state: table={}, cookie={}", n.a, n.b == 0 ? "0" : fmt::format("0x{:x}", n.b));
    case Remark::restoring_actions:
      return "Restoring actions: " + list(n.list);
    case Remark::restoring_action_set:
      return "Restoring action set: " + list(n.list);
    case Remark::executing_action_set:
      return "--. Executing action set:";
    case Remark::action_set_was:
      return n.list.empty() ? "action set was empty" : "action set was: " + list(n.list);
    case Remark::action_set_is:
      return n.list.empty() ? "action set is empty" : "action set is: " + list(n.list);
    case Remark::field_is_now:
      return text_.subfield(n.field) + " is now " + value(n);
    case Remark::conjunction_member: {
      const openflow::FlowEntry& f = n.bridge->flows->flow(n.flow);
      const std::string match = flow_match(*n.bridge, n.flow);
      return "conj. " + (f.priority == 32768
                             ? match
                             : fmt::format("priority={}{}{}", f.priority, match.empty() ? "" : ",", match));
    }
    case Remark::no_such_port:
      return "Nonexistent output port";
    case Remark::no_forward:
      return "OFPPC_NO_FWD set, skipping output";
    case Remark::skipping_input_port:
      return "skipping output to input port";
    case Remark::output_port_is:
      return fmt::format("output port is {}", n.a);
    case Remark::output_port_out_of_range:
      return fmt::format("output port {} is out of range", n.a);
    case Remark::cannot_truncate_to_port:
      return "output_trunc does not support port: " + port_word(n.a);
    case Remark::cannot_truncate_to_patch:
      return "output_trunc does not support patch port " + port_word(n.a);
    case Remark::truncate_patch:
      return "Cannot truncate output to patch port";
    case Remark::non_ethernet_to_ethernet_port:
      return "Trying to send non-Ethernet packet through legacy L2 port. Dropping packet.";
    case Remark::no_such_group:
      return fmt::format("output to nonexistent group {}", n.a);
    case Remark::using_bucket:
      return fmt::format("using bucket {}", n.a);
    case Remark::no_live_bucket:
      return "no live bucket";
    case Remark::dp_hash:
      return "selection method in use: dp_hash, recirculating";
    case Remark::bucket_score:
      return fmt::format("bucket {}: score {}", n.a, n.b);
    case Remark::bucket_not_live: {
      std::string why = n.text.empty() ? "" : "port " + n.text;
      if (!n.more.empty()) why += (why.empty() ? "port " : " and port ") + n.more;
      return fmt::format("bucket {}: not live due to {}", n.a, why);
    }
    case Remark::bucket_chain:
      return fmt::format("bucket chaining exceeded {} links", n.a);
    case Remark::resubmit_not_tracked:
      return "resubmit(ct) with non-tracked or non-IP packet!";
    case Remark::too_deep:
      return fmt::format("over max translation depth {}", n.a);
    case Remark::too_many_resubmits:
      return fmt::format("over {} resubmit actions", n.a);
    case Remark::too_many_actions:
      return "resubmits yielded over 64 kB of actions";
    case Remark::stack_too_big:
      return "resubmits yielded over 64 kB of stack";
    case Remark::stack_underflow:
      return "stack underflow";
    case Remark::forked:
      return fmt::format(
          "A clone of the packet is forked to recirculate. The forked pipeline will be resumed at table {}.", n.a);
    case Remark::untracked:
      return "Sets the packet to an untracked state, and clears all the conntrack fields.";
    case Remark::ttl_exception:
      return fmt::format("IPv{} decrement TTL exception", n.a);
    case Remark::mpls_ttl_exception:
      return "MPLS decrement TTL exception";
    case Remark::nsh_ttl_exception:
      return "NSH decrement TTL exception";
    case Remark::unmet_prerequisites:
      return fmt::format("unmet prerequisites for {}, set_field ignored", field(n.field.field).set_name);
    case Remark::queue_is:
      return fmt::format("queue = {}", n.a == 0 ? "0" : fmt::format("0x{:x}", n.a));
    case Remark::deletes_field:
      return fmt::format("delete {}", field(n.field.field).name);
    case Remark::learn_suppressed:
      return "suppressing side effects, so learn action ignored";
    case Remark::learns:
      return n.text;
    case Remark::conjunction_executed:
      return "executing no-op conjunction action";
    case Remark::no_input_bundle:
      return "no input bundle, dropping";
    case Remark::partial_vlan:
      return "partial VLAN tag, dropping";
    case Remark::vlan_not_allowed:
      return "disallowed VLAN VID for this input port, dropping";
    case Remark::vlan_on_access_port:
      return fmt::format("dropping VLAN {} tagged packet received on port {} configured as VLAN {} access port", n.a,
                         n.text, n.b);
    case Remark::vlan_not_trunked:
      return fmt::format("dropping VLAN {} packet received on port {} not configured for trunking VLAN {}", n.a, n.text,
                         n.a);
    case Remark::reserved_mac:
      return "packet has reserved destination MAC, dropping";
    case Remark::learned_port:
      return "forwarding to learned port";
    case Remark::learned_port_is_input:
      return "learned port is input port, dropping";
    case Remark::no_learned_mac:
      return "no learned MAC for destination, flooding";
    case Remark::learned_mac:
      return n.text;
    case Remark::tunnel_decided_against:
      return "Tunneling decided against output";
    case Remark::own_tunnel_address:
      return "Not tunneling to our own address";
    case Remark::native_tunnel:
      return "output to native tunnel";
    case Remark::kernel_tunnel:
      return "output to kernel tunnel";
    case Remark::no_route:
      return "native tunnel routing failed";
    case Remark::no_route_known:
      return "the snapshot does not tell the switch's routes: native tunnel not followed";
    case Remark::tunneling_via:
      return fmt::format("tunneling to {} via {}", n.text, n.more);
    case Remark::neighbour_miss:
      return fmt::format("neighbor cache miss for {} on bridge {}, sending {} request", n.text, n.more,
                         n.a == 4 ? "ARP" : "ND");
    case Remark::neighbour_unknown:
      return fmt::format("the snapshot does not tell the neighbour {}: native tunnel not followed", n.text);
    case Remark::tunneling:
      return fmt::format("tunneling from {} {} to {} {}", MacAddr{n.a}.to_string(), n.text, MacAddr{n.b}.to_string(),
                         n.more);
    case Remark::unknown_recirculation:
      return fmt::format("Recirculation context not found for ID {:x}", n.a);
    case Remark::encap_of_ethernet:
      return "Dropping packet as encap(ethernet) is not supported for packet type ethernet.";
    case Remark::encap_nsh_of_type:
      return fmt::format("Dropping packet as encap(nsh) is not supported for packet type ({},0x{:x})", n.a, n.b);
    case Remark::decap_vlan:
      return "Dropping packet, cannot decap Ethernet if VLAN is present.";
    case Remark::decap_nsh_next:
      return fmt::format("Dropping packet as NSH next protocol {} is not supported", n.a);
    case Remark::decap_of_type:
      return fmt::format("Dropping packet as the decap() does not support packet type ({},0x{:x})", n.a, n.b);
    case Remark::unknown_bridge:
      return fmt::format("the snapshot does not hold the bridge of {}: not followed", n.text);
    case Remark::not_understood:
      return "not understood: " + n.text;
  }
  return {};
}

std::string tunnel_or_port(const dp::Port& p) { return p.number ? fmt::format("{} ({})", p.name, *p.number) : p.name; }

// Where a list of datapath actions sends the packet.
void collect(const dp::Actions& actions, std::vector<std::string>& ends) {
  for (const dp::Action& a : actions) {
    if (const auto* o = std::get_if<dp::Output>(&a.kind)) ends.push_back("output " + tunnel_or_port(o->port));
    if (const auto* o = std::get_if<dp::TunnelPush>(&a.kind)) ends.push_back("tunnel to " + o->destination.to_string());
    if (const auto* o = std::get_if<dp::TunnelPop>(&a.kind)) ends.push_back("tunnel end " + tunnel_or_port(o->port));
    if (std::holds_alternative<dp::ToController>(a.kind)) ends.push_back("controller");
    if (const auto* n = std::get_if<dp::Clone>(&a.kind)) collect(n->actions, ends);
    if (const auto* n = std::get_if<dp::Sample>(&a.kind)) collect(n->actions, ends);
    if (const auto* n = std::get_if<dp::CheckLength>(&a.kind)) collect(n->greater, ends), collect(n->not_greater, ends);
  }
}

}  // namespace

std::string ofproto_trace_text(const Trace& trace, const openflow::Bridge& bridge, const OpenFlowText& text,
                               const OfprotoTraceStyle& style) {
  return TextWriter(trace, bridge, text, style).write();
}

std::string ofproto_trace_verdict(const Trace& trace) {
  std::vector<std::string> ends;
  const TracePass* failed = nullptr;
  for (const TracePass& pass : trace.passes) {
    if (pass.error != XlateError::ok) failed = &pass;
    collect(pass.actions, ends);
  }
  std::string out;
  for (const std::string& e : ends) (out += out.empty() ? "" : ", ") += e;
  if (out.empty()) out = failed ? fmt::format("dropped: {}", error_text(failed->error)) : "dropped";
  return out;
}

}  // namespace egt::render
