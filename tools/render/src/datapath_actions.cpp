// Datapath actions in the words of lib/odp-util.c, format_odp_actions().
#include <fmt/format.h>

#include <iterator>

#include "egtrace/render/ofproto_trace.h"

namespace egt::render {
namespace {

using namespace engine::ofproto;
using F = FieldId;

std::string mac(std::uint64_t value) { return MacAddr{value}.to_string(); }
std::string ipv4(U128 v) { return IpAddr::v4(static_cast<std::uint32_t>(v)).to_string(); }
std::string ipv6(U128 v) { return IpAddr::v6(v).to_string(); }
std::uint64_t num(U128 v) { return low64(v); }

// "%#x": zero has no 0x.
std::string alternate_hex(std::uint64_t v) { return v == 0 ? "0" : fmt::format("0x{:x}", v); }

class Writer {
 public:
  explicit Writer(bool names) : names_(names) {}

  std::string list(const dp::Actions& actions) {
    if (actions.empty()) return "drop";
    std::string out;
    for (const dp::Action& a : actions) {
      if (!out.empty()) out += ',';
      out += std::visit(*this, a.kind);
    }
    return out;
  }

  std::string port(const dp::Port& p) const {
    if (names_ && !p.name.empty()) return p.name;
    return p.number ? fmt::format("{}", *p.number) : p.name;
  }

  std::string operator()(const dp::Output& a) { return port(a.port); }
  std::string operator()(const dp::TunnelPop& a) { return fmt::format("tnl_pop({})", port(a.port)); }
  std::string operator()(const dp::Recirculate& a) { return fmt::format("recirc({})", alternate_hex(a.id)); }
  std::string operator()(const dp::Hash& a) { return fmt::format("hash({}({}))", a.symmetric_l4 ? "sym_l4" : "l4", a.basis); }
  std::string operator()(const dp::Meter& a) { return fmt::format("meter({})", a.id); }
  std::string operator()(const dp::Truncate& a) { return fmt::format("trunc({})", a.length); }
  std::string operator()(const dp::PopEthernet&) { return "pop_eth"; }
  std::string operator()(const dp::PopVlan&) { return "pop_vlan"; }
  std::string operator()(const dp::PopNsh&) { return "pop_nsh()"; }
  std::string operator()(const dp::ConntrackClear&) { return "ct_clear"; }
  std::string operator()(const dp::PopMpls& a) { return fmt::format("pop_mpls(eth_type=0x{:x})", a.ethertype); }
  std::string operator()(const dp::PushEthernet& a) {
    return fmt::format("push_eth(src={},dst={})", a.source.to_string(), a.destination.to_string());
  }
  std::string operator()(const dp::PushVlan& a) {
    std::string out = "push_vlan(";
    if (a.tpid != ethertype::vlan) out += fmt::format("tpid=0x{:04x},", a.tpid);
    out += fmt::format("vid={},pcp={}", a.tci & 0xfff, a.tci >> 13);
    if (!(a.tci & 0x1000)) out += ",cfi=0";
    return out + ")";
  }
  std::string operator()(const dp::PushMpls& a) {
    return fmt::format("{}({},eth_type=0x{:x})", a.add ? "add_mpls" : "push_mpls", label(a.lse), a.ethertype);
  }
  static std::string label(std::uint32_t lse) {
    return fmt::format("label={},tc={},ttl={},bos={}", lse >> 12, lse >> 9 & 7, lse & 0xff, lse >> 8 & 1);
  }
  std::string operator()(const dp::ToController& a) {
    return fmt::format(
        "userspace(pid=0,controller(reason={},dont_send={:d},continuation={:d},recirc_id={},rule_cookie={},"
        "controller_id={},max_len={}))",
        a.reason, a.dont_send, a.continuation, a.recirc_id, alternate_hex(a.cookie), a.controller_id, a.max_len);
  }
  std::string operator()(const dp::Sample& a) {
    return fmt::format("sample(sample={:.1f}%,actions({}))", 100.0 * a.probability, list(a.actions));
  }
  std::string operator()(const dp::Clone& a) { return fmt::format("clone({})", list(a.actions)); }
  std::string operator()(const dp::CheckLength& a) {
    return fmt::format("check_pkt_len(size={},gt({}),le({}))", a.length, list(a.greater), list(a.not_greater));
  }
  std::string operator()(const dp::Conntrack& a);
  std::string operator()(const dp::Set& a);
  std::string operator()(const dp::SetTunnel& a);
  std::string operator()(const dp::TunnelPush& a);
  std::string operator()(const dp::PushNsh& a);

 private:
  bool names_;
};

std::string nat_text(const openflow::Nat& n) {
  if (n.kind == openflow::Nat::Kind::bare) return "nat";
  std::string out = n.kind == openflow::Nat::Kind::src ? "nat(src" : "nat(dst";
  if (n.addresses) {
    const bool with_port = n.port_min && *n.port_min != 0;
    const auto address = [&](const IpAddr& a) {
      return !a.is_v4() && with_port ? fmt::format("[{}]", a.to_string()) : a.to_string();
    };
    out += "=" + address(n.addresses->first);
    if (n.addresses->last.value > n.addresses->first.value) out += "-" + address(n.addresses->last);
    if (with_port) {
      out += fmt::format(":{}", *n.port_min);
      if (n.port_max && *n.port_max > *n.port_min) out += fmt::format("-{}", *n.port_max);
    }
  }
  if (n.persistent) out += ",persistent";
  if (n.hash)
    out += ",hash";
  else if (n.random)
    out += ",random";
  return out + ")";
}

std::string Writer::operator()(const dp::Conntrack& a) {
  std::string args;
  const auto add = [&](const std::string& s) { (args += args.empty() ? "" : ",") += s; };
  if (a.commit) add("commit");
  if (a.force) add("force_commit");
  if (a.zone != 0) add(fmt::format("zone={}", a.zone));
  if (a.mark) add(fmt::format("mark={}/{}", alternate_hex(a.mark->first), alternate_hex(a.mark->second)));
  if (a.label) {
    const bool all = a.label->second == ~U128{0};  // a mark shows its mask even then
    add(fmt::format("label={}{}", hex(a.label->first, true), all ? "" : "/" + hex(a.label->second, true)));
  }
  if (!a.helper.empty()) add("helper=" + a.helper);
  if (a.has_nat) add(nat_text(a.nat));
  return args.empty() ? "ct" : "ct(" + args + ")";
}

enum class TextForm { mac, ipv4, ipv6, decimal, hex, word, arp_operation };
struct Word {
  F field;
  const char* name;
  TextForm form;
};

std::string value_text(TextForm form, U128 v) {
  switch (form) {
    case TextForm::mac: return mac(num(v));
    case TextForm::ipv4: return ipv4(v);
    case TextForm::ipv6: return ipv6(v);
    case TextForm::decimal: return fmt::format("{}", num(v));
    case TextForm::arp_operation:  // get_arp_key()
      return fmt::format("{}", v == 0xff ? 0xffff : num(v));
    case TextForm::word:  // zero is 0x0
      return fmt::format("0x{:x}", num(v));
    case TextForm::hex: return alternate_hex(num(v));
  }
  return {};
}

std::string mask_text(TextForm form, U128 v) {
  return form == TextForm::decimal || form == TextForm::arp_operation ? alternate_hex(num(v)) : value_text(form, v);
}

const std::vector<Word>& words_of(dp::Attribute a) {
  static const std::vector<Word> ethernet = {{F::eth_src, "src", TextForm::mac}, {F::eth_dst, "dst", TextForm::mac}};
  static const std::vector<Word> v4 = {{F::ip_src, "src", TextForm::ipv4},
                                       {F::ip_dst, "dst", TextForm::ipv4},
                                       {F::nw_proto, "proto", TextForm::decimal},
                                       {F::nw_tos, "tos", TextForm::hex},
                                       {F::nw_ttl, "ttl", TextForm::decimal}};
  static const std::vector<Word> v6 = {{F::ipv6_src, "src", TextForm::ipv6},    {F::ipv6_dst, "dst", TextForm::ipv6},
                                       {F::ipv6_label, "label", TextForm::hex}, {F::nw_proto, "proto", TextForm::decimal},
                                       {F::nw_tos, "tclass", TextForm::hex},    {F::nw_ttl, "hlimit", TextForm::decimal}};
  static const std::vector<Word> arp = {{F::ip_src, "sip", TextForm::ipv4},
                                        {F::ip_dst, "tip", TextForm::ipv4},
                                        {F::nw_proto, "op", TextForm::arp_operation},
                                        {F::arp_sha, "sha", TextForm::mac},
                                        {F::arp_tha, "tha", TextForm::mac}};
  static const std::vector<Word> icmp = {{F::tp_src, "type", TextForm::decimal}, {F::tp_dst, "code", TextForm::decimal}};
  static const std::vector<Word> nd = {
      {F::nd_target, "target", TextForm::ipv6}, {F::nd_sll, "sll", TextForm::mac}, {F::nd_tll, "tll", TextForm::mac}};
  static const std::vector<Word> nd_ext = {{F::nd_reserved, "nd_reserved", TextForm::word},
                                           {F::nd_options_type, "nd_options_type", TextForm::decimal}};
  static const std::vector<Word> ports = {{F::tp_src, "src", TextForm::decimal}, {F::tp_dst, "dst", TextForm::decimal}};
  static const std::vector<Word> none;
  switch (a) {
    case dp::Attribute::ethernet: return ethernet;
    case dp::Attribute::ipv4: return v4;
    case dp::Attribute::ipv6: return v6;
    case dp::Attribute::arp: return arp;
    case dp::Attribute::icmp:
    case dp::Attribute::icmpv6: return icmp;
    case dp::Attribute::nd: return nd;
    case dp::Attribute::nd_extensions: return nd_ext;
    case dp::Attribute::tcp:
    case dp::Attribute::udp:
    case dp::Attribute::sctp: return ports;
    default: return none;
  }
}

const char* name_of(dp::Attribute a) {
  constexpr const char* kNames[] = {"eth", "ipv4", "ipv6", "arp",          "icmp",     "icmpv6", "nd", "nd_ext",
                                    "tcp", "udp",  "sctp", "skb_priority", "skb_mark", "mpls",   "nsh"};
  return kNames[static_cast<std::size_t>(a)];
}

U128 whole_mask(F f) {
  switch (f) {
    case F::nw_tos: return 0xff;
    case F::nw_proto: return 0xff;
    default: return ones(field(f).bits);
  }
}

std::string set_nsh(const dp::Set& a) {
  const char* const names[] = {"flags", "ttl", "mdtype", "np", "spi", "si", "c1", "c2", "c3", "c4"};
  std::string out;
  for (std::size_t i = 0; i < a.fields.size() && i < std::size(names); ++i) {
    const dp::SetField& f = a.fields[i];
    const bool is_hex = i == 4 || i > 5;
    if (f.mask == 0 && !(a.whole && i != 2 && i != 3)) continue;
    if (!out.empty()) out += ',';
    const auto v = num(f.value), m = num(f.mask);
    const bool all = f.mask == ones(field(f.field).bits);
    if (is_hex)
      out += all ? fmt::format("{}=0x{:x}", names[i], v) : fmt::format("{}=0x{:x}/0x{:08x}", names[i], v, m);
    else
      out += all ? fmt::format("{}={}", names[i], v) : fmt::format("{}=0x{:02x}/0x{:02x}", names[i], v, m);
  }
  return "set(nsh(" + out + "))";
}

std::string Writer::operator()(const dp::Set& a) {
  if (a.attribute == dp::Attribute::nsh) return set_nsh(a);
  if (a.attribute == dp::Attribute::mpls)
    return fmt::format("set(mpls({}))", label(static_cast<std::uint32_t>(a.fields.front().value)));
  if (a.attribute == dp::Attribute::skb_mark || a.attribute == dp::Attribute::skb_priority) {
    const dp::SetField& f = a.fields.front();
    std::string out = fmt::format("set({}({}", name_of(a.attribute), alternate_hex(num(f.value)));
    if (f.mask != ones(32)) out += "/" + alternate_hex(num(f.mask));
    return out + "))";
  }
  std::string args;
  for (const Word& w : words_of(a.attribute))
    for (const dp::SetField& f : a.fields) {
      const bool always = f.field == F::nd_reserved;  // and without a mask
      if (f.field != w.field || (f.mask == 0 && !a.whole && !always)) continue;
      if (!args.empty()) args += ',';
      args += fmt::format("{}={}", w.name, value_text(w.form, f.value));
      if (!a.whole && !always && f.mask != whole_mask(f.field)) args += "/" + mask_text(w.form, f.mask);
    }
  return fmt::format("set({}({}))", name_of(a.attribute), args);
}

std::string options_text(const std::vector<dp::GeneveOption>& options) {
  std::string out;
  for (const dp::GeneveOption& o : options)
    out += fmt::format("{{class=0x{:x},type=0x{:x},len={},{}}}", o.option_class, o.type, o.length,
                       o.value == 0 ? "0" : hex(o.value, true));
  return out;
}

std::string Writer::operator()(const dp::SetTunnel& a) {
  const FlowKey& t = a.tunnel;
  std::string args;
  const auto add = [&](const std::string& s) { (args += args.empty() ? "" : ",") += s; };
  const auto flags = get(t, Extra::tun_header_flags);
  if (flags & 8) add(fmt::format("tun_id={}", alternate_hex(t.u64(F::tun_id))));
  if (t.get(F::tun_src) != 0) add("src=" + ipv4(t.get(F::tun_src)));
  if (t.get(F::tun_dst) != 0) add("dst=" + ipv4(t.get(F::tun_dst)));
  if (t.get(F::tun_ipv6_src) != 0) add("ipv6_src=" + ipv6(t.get(F::tun_ipv6_src)));
  if (t.get(F::tun_ipv6_dst) != 0) add("ipv6_dst=" + ipv6(t.get(F::tun_ipv6_dst)));
  if (t.u64(F::tun_tos) != 0) add(fmt::format("tos={}", alternate_hex(t.u64(F::tun_tos))));
  add(fmt::format("ttl={}", t.u64(F::tun_ttl)));
  if (a.udp_port != 0) add(fmt::format("tp_dst={}", a.udp_port));
  if (!a.options.empty()) add(fmt::format("geneve({})", options_text(a.options)));
  std::string words;
  const auto flag = [&](bool on, const char* name) {
    if (on) (words += words.empty() ? "" : "|") += name;
  };
  flag(flags & 2, "df");
  flag(flags & 4, "csum");
  flag(flags & 8, "key");
  flag(t.u64(F::tun_flags) != 0, "oam");
  if (!words.empty()) add(fmt::format("flags({})", words));
  return fmt::format("set(tunnel({}))", args);
}

std::string Writer::operator()(const dp::TunnelPush& a) {
  std::string h = fmt::format("header(size={},type={},eth(dst={},src={},dl_type=0x{:04x}),", a.header_size, a.vport_type,
                              a.destination_mac.to_string(), a.source_mac.to_string(), a.destination.is_v4() ? 0x0800 : 0x86dd);
  if (a.destination.is_v4()) {
    h += fmt::format("ipv4(src={},dst={},proto={},tos={},ttl={},frag=0x{:x}),", a.source.to_string(), a.destination.to_string(),
                     a.proto, alternate_hex(a.tos), a.ttl, a.dont_fragment ? 0x4000 : 0);
  } else {
    h += fmt::format("ipv6(src={},dst={},label=0,proto={},tclass=0x{:x},hlimit={}),", a.source.to_string(),
                     a.destination.to_string(), a.proto, a.tos, a.ttl);
  }
  if (a.udp_port != 0) h += fmt::format("udp(src=0,dst={},csum=0x{:x}),", a.udp_port, a.checksum ? 0xffff : 0);
  if (a.type == "geneve") {
    h += fmt::format("geneve({}{}vni=0x{:x}", a.oam ? "oam," : "", a.critical ? "crit," : "", a.tunnel_id & 0xffffff);
    if (!a.options.empty()) h += fmt::format(",options({})", options_text(a.options));
    h += ")";
  } else if (a.type == "vxlan") {
    h += fmt::format("vxlan(flags=0x8000000,vni=0x{:x})", a.tunnel_id & 0xffffff);
  } else {
    h += fmt::format("gre((flags=0x{:x},proto=0x6558)", (a.checksum ? 0x8000 : 0) | (a.with_key ? 0x2000 : 0));
    if (a.checksum) h += ",csum=0x0";
    if (a.with_key) h += fmt::format(",key=0x{:x}", a.tunnel_id & 0xffffffff);
    h += ")";
  }
  return fmt::format("tnl_push(tnl_port({}),{}),out_port({}))", port(a.tunnel), h, port(a.out));
}

std::string Writer::operator()(const dp::PushNsh& a) {
  const FlowKey& n = a.nsh;
  std::string out = fmt::format("push_nsh(flags={},ttl={},mdtype={},np={},spi=0x{:x},si={}", n.u64(F::nsh_flags),
                                n.u64(F::nsh_ttl), n.u64(F::nsh_mdtype), n.u64(F::nsh_np), n.u64(F::nsh_spi), n.u64(F::nsh_si));
  if (n.u64(F::nsh_mdtype) == 1) {
    int i = 1;
    for (const F f : {F::nsh_c1, F::nsh_c2, F::nsh_c3, F::nsh_c4}) out += fmt::format(",c{}=0x{:x}", i++, n.u64(f));
  } else if (n.u64(F::nsh_mdtype) != 2) {
    out += ",<error: unknown mdtype>";
  } else {
    out += ",md2=";
    std::string digits;
    for (const std::uint8_t b : a.metadata) digits += fmt::format("{:02x}", b);
    const std::size_t nonzero = digits.find_first_not_of('0');
    out += nonzero == std::string::npos ? "0" : "0x" + digits.substr(nonzero);
  }
  return out + ")";
}

}  // namespace

std::string datapath_actions_text(const dp::Actions& actions, bool names) { return Writer(names).list(actions); }

}  // namespace egt::render
