// A match in the order and forms of lib/match.c:match_format.
#include <string>

#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers {
namespace {

using namespace ofctl;
using F = FieldId;

// Writes the terms one after another, each with a comma behind it.
class MatchWriter {
 public:
  explicit MatchWriter(openflow::MatchView match) {
    for (const openflow::MatchWord& w : match) {
      value_.set_word(w.word, w.value);
      mask_.set_word(w.word, w.mask);
    }
    ethertype_ = mask(F::eth_type) ? static_cast<std::uint16_t>(value(F::eth_type)) : 0;
    proto_ = mask(F::nw_proto) ? static_cast<std::uint8_t>(value(F::nw_proto)) : 0;
  }

  std::string write() {
    metadata();
    protocol();
    registers();
    tunnel();
    hex("metadata", F::metadata);
    port("in_port", F::in_port);
    vlan();
    ethernet("dl_src", F::eth_src);
    ethernet("dl_dst", F::eth_dst);
    if (!skip_type_ && mask(F::eth_type)) padded_hex("dl_type", ethertype_, 4);
    network();
    transport();
    if (!out_.empty()) out_.pop_back();
    return std::move(out_);
  }

 private:
  U128 value(F f) const { return value_.get(f); }
  U128 mask(F f) const { return mask_.get(f); }
  bool exact(F f) const {
    return mask(f) == ones(field(f).bits) && (~mask_.word(field(f).word) & openflow::beyond_field(f)) == 0;
  }

  void word(std::string_view w) { (out_ += w) += ','; }
  void begin(std::string_view name) { (out_ += name) += '='; }

  // 0x5, 0 or 0x5/0xf.
  void hex(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    write_hex(value(f), out_);
    if (!exact(f)) {
      out_ += '/';
      write_hex(mask(f), out_);
    }
    out_ += ',';
  }
  // 80, or in hexadecimal with a mask, where zero is 0x0.
  void decimal(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    if (exact(f)) {
      write_decimal(low64(value(f)), out_);
    } else {
      write_padded_hex(value(f), 1, out_);
      out_ += '/';
      write_padded_hex(mask(f), 1, out_);
    }
    out_ += ',';
  }
  // 5, or 0x00000005/0x0000000f.
  void word32(std::string_view name, F f) {
    if (exact(f) || mask(f) == 0) return plain_decimal(name, f);
    begin(name);
    write_padded_hex(value(f), 8, out_);
    out_ += '/';
    write_padded_hex(mask(f), 8, out_);
    out_ += ',';
  }
  // 5, or 0x05/0x0f.
  void byte(std::string_view name, F f) {
    if (exact(f)) return plain_decimal(name, f);
    if (mask(f) == 0) return;
    begin(name);
    write_padded_hex(value(f), 2, out_);
    out_ += '/';
    write_padded_hex(mask(f), 2, out_);
    out_ += ',';
  }
  // 0x5, 0x0 or 0x5/0xf.
  void long_hex(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    write_padded_hex(value(f), 1, out_);
    if (!exact(f)) {
      out_ += '/';
      write_padded_hex(mask(f), 1, out_);
    }
    out_ += ',';
  }
  void plain_decimal(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    write_decimal(low64(value(f)), out_);
    out_ += ',';
  }
  // 0x5 or 0, whatever the mask.
  void plain_hex(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    write_hex(value(f), out_);
    out_ += ',';
  }
  void padded_hex(std::string_view name, U128 v, unsigned width) {
    begin(name);
    write_padded_hex(v, width, out_);
    out_ += ',';
  }
  void field_form(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    write_field_value(field(f), value(f), exact(f) ? std::nullopt : std::optional<U128>(mask(f)), out_);
    out_ += ',';
  }
  void ethernet(std::string_view name, F f) { field_form(name, f); }
  void address(std::string_view name, F f) { field_form(name, f); }
  void port(std::string_view name, F f) {
    if (mask(f) == 0) return;
    begin(name);
    write_port_number(static_cast<std::uint32_t>(value(f)), out_);
    out_ += ',';
  }
  void flags(std::string_view name, F f, U128 all) {
    if ((mask(f) & all) == 0) return;
    begin(name);
    const auto names = flag_names(field(f).format);
    if ((mask(f) & all) == all) {
      write_named_flags(value(f), names, out_);
    } else {
      write_signed_flags(value(f), mask(f), names, out_);
    }
    out_ += ',';
  }

  void metadata() {
    hex("pkt_mark", F::pkt_mark);
    hex("recirc_id", F::recirc_id);
    hex("dp_hash", F::dp_hash);
    plain_decimal("conj_id", F::conj_id);
    hex("skb_priority", F::skb_priority);
    port("actset_output", F::actset_output);
    flags("ct_state", F::ct_state, 0xff);
    decimal("ct_zone", F::ct_zone);
    hex("ct_mark", F::ct_mark);
    hex("ct_label", F::ct_label);
    address("ct_nw_src", F::ct_nw_src);
    address("ct_ipv6_src", F::ct_ipv6_src);
    address("ct_nw_dst", F::ct_nw_dst);
    address("ct_ipv6_dst", F::ct_ipv6_dst);
    if (mask(F::ct_nw_proto) != 0) {
      plain_decimal("ct_nw_proto", F::ct_nw_proto);
      decimal("ct_tp_src", F::ct_tp_src);
      decimal("ct_tp_dst", F::ct_tp_dst);
    }
    if (mask(F::packet_type) != 0 && value(F::packet_type) != 0) {
      field_form("packet_type", F::packet_type);
      if (value(F::packet_type) >> 16 == 1) ethertype_ = static_cast<std::uint16_t>(value(F::packet_type) & 0xffff);
    } else if (mask(F::recirc_id) != 0) {
      word("eth");  // in megaflows the usual packet type is shown, too
    }
  }

  void protocol() {
    if (mask(F::eth_type) == 0) return;
    skip_type_ = true;
    switch (ethertype_) {
      case ethertype::ipv4: return ip_protocol("ip", "", ip_proto::icmp, "icmp");
      case ethertype::ipv6: return ip_protocol("ipv6", "6", ip_proto::icmp6, "icmp6");
      case ethertype::arp: return word("arp");
      case ethertype::rarp: return word("rarp");
      case ethertype::mpls: return word("mpls");
      case ethertype::mplsm: return word("mplsm");
      default: skip_type_ = false;
    }
  }
  void ip_protocol(std::string_view any, std::string_view suffix, std::uint8_t icmp, std::string_view icmp_word) {
    skip_proto_ = mask(F::nw_proto) != 0;
    if (skip_proto_ && proto_ == icmp) return word(icmp_word);
    const std::string_view name = proto_ == ip_proto::tcp    ? "tcp"
                                  : proto_ == ip_proto::udp  ? "udp"
                                  : proto_ == ip_proto::sctp ? "sctp"
                                                             : "";
    if (!skip_proto_ || name.empty()) {
      skip_proto_ = false;
      return word(any);
    }
    ((out_ += name) += suffix) += ',';
  }

  void registers() {
    for (unsigned i = 0; i < 32; ++i) {
      const auto f = static_cast<F>(static_cast<unsigned>(F::reg0) + i);
      hex(field(f).name, f);
    }
  }

  void tunnel() {
    hex("tun_id", F::tun_id);
    address("tun_src", F::tun_src);
    address("tun_dst", F::tun_dst);
    address("tun_ipv6_src", F::tun_ipv6_src);
    address("tun_ipv6_dst", F::tun_ipv6_dst);
    decimal("tun_gbp_id", F::tun_gbp_id);
    plain_hex("tun_gbp_flags", F::tun_gbp_flags);
    if (mask(F::tun_tos) != 0) {
      begin("tun_tos");
      std::string digits;
      write_padded_hex(value(F::tun_tos), 1, digits);
      (out_ += std::string_view(digits).substr(2)) += ',';
    }
    plain_decimal("tun_ttl", F::tun_ttl);
    plain_decimal("tun_erspan_ver", F::tun_erspan_ver);
    if (value(F::tun_erspan_ver) == 1) plain_hex("tun_erspan_idx", F::tun_erspan_idx);
    if (value(F::tun_erspan_ver) == 2) {
      plain_decimal("tun_erspan_dir", F::tun_erspan_dir);
      plain_hex("tun_erspan_hwid", F::tun_erspan_hwid);
    }
    plain_hex("gtpu_flags", F::tun_gtpu_flags);
    plain_decimal("gtpu_msgtype", F::tun_gtpu_msgtype);
    // Open vSwitch knows more flags than the one that has a name here, so that one is never "all of them".
    if (mask(F::tun_flags) != 0) word(value(F::tun_flags) != 0 ? "tun_flags=+oam" : "tun_flags=-oam");
    for (unsigned i = 0; i < 8; ++i)
      if (mask_.word(kTunnelOptionsWord) >> i & 1) option(static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i), i);
  }
  // "tun_metadata0=0x5/0xff", "tun_metadata0" with any value, "tun_metadata0=NP" where the packet must not have it.
  void option(F f, unsigned i) {
    if (!(value_.word(kTunnelOptionsWord) >> i & 1)) return word(std::string(field(f).name) + "=NP");
    if (mask(f) == 0) return word(field(f).name);
    hex(field(f).name, f);
  }

  void vlan() {
    tag("dl_vlan", "dl_vlan_pcp", "vlan_tci", F::vlan_tci);
    tag("dl_vlan1", "dl_vlan_pcp1", "vlan_tci1", F::vlan_tci1);
  }
  void tag(std::string_view vid_name, std::string_view pcp_name, std::string_view tci_name, F f) {
    const auto tci = static_cast<unsigned>(value(f)), m = static_cast<unsigned>(mask(f));
    const unsigned vid = m & 0xfff, pcp = m & 0xe000;
    if ((m & tci & 0x1000) && (vid == 0 || vid == 0xfff) && (pcp == 0 || pcp == 0xe000) && (vid || pcp)) {
      if (vid) number(vid_name, tci & 0xfff);
      if (pcp) number(pcp_name, tci >> 13);
    } else if (m != 0) {
      vlan_tci(tci_name, tci, m);
    }
  }
  void number(std::string_view name, unsigned v) {
    begin(name);
    write_decimal(v, out_);
    out_ += ',';
  }
  void vlan_tci(std::string_view name, unsigned tci, unsigned m) {
    begin(name);
    write_padded_hex(tci, 4, out_);
    if (m != 0xffff) {
      out_ += '/';
      write_padded_hex(m, 4, out_);
    }
    out_ += ',';
  }

  bool is_arp() const { return ethertype_ == ethertype::arp || ethertype_ == ethertype::rarp; }

  void network() {
    if (ethertype_ == ethertype::ipv6) {
      address("ipv6_src", F::ipv6_src);
      address("ipv6_dst", F::ipv6_dst);
      ipv6_label();
    } else if (is_arp()) {
      address("arp_spa", F::ip_src);
      address("arp_tpa", F::ip_dst);
    } else if (ethertype_ == ethertype::nsh) {
      nsh();
    } else {
      address("nw_src", F::ip_src);
      address("nw_dst", F::ip_dst);
    }
    if (is_arp()) {
      plain_decimal("arp_op", F::arp_op);
      ethernet("arp_sha", F::arp_sha);
      ethernet("arp_tha", F::arp_tha);
    } else if (!skip_proto_) {
      plain_decimal("nw_proto", F::nw_proto);
    }
    plain_decimal("nw_tos", F::nw_tos);
    plain_decimal("nw_ecn", F::nw_ecn);
    plain_decimal("nw_ttl", F::nw_ttl);
    plain_decimal("mpls_label", F::mpls_label);
    plain_decimal("mpls_tc", F::mpls_tc);
    plain_decimal("mpls_ttl", F::mpls_ttl);
    plain_decimal("mpls_bos", F::mpls_bos);
    if (mask(F::ip_frag) != 0) {
      begin("nw_frag");
      (out_ += frag_word(value(F::ip_frag), mask(F::ip_frag))) += ',';
    }
  }
  void ipv6_label() {
    if (mask(F::ipv6_label) == 0) return;
    begin("ipv6_label");
    write_padded_hex(value(F::ipv6_label), 5, out_);
    if (!exact(F::ipv6_label)) {
      out_ += '/';
      write_padded_hex(mask(F::ipv6_label), 5, out_);
    }
    out_ += ',';
  }
  void nsh() {
    byte("nsh_flags", F::nsh_flags);
    byte("nsh_ttl", F::nsh_ttl);
    byte("nsh_mdtype", F::nsh_mdtype);
    byte("nsh_np", F::nsh_np);
    long_hex("nsh_spi", F::nsh_spi);
    byte("nsh_si", F::nsh_si);
    if (!exact(F::nsh_mdtype) || value(F::nsh_mdtype) != 1) return;  // what other types hold is no context
    for (const F f : {F::nsh_c1, F::nsh_c2, F::nsh_c3, F::nsh_c4}) long_hex(field(f).name, f);
  }

  void transport() {
    if (ethertype_ == ethertype::ipv4 && proto_ == ip_proto::icmp) {
      decimal("icmp_type", F::tp_src);  // whose 16 bits a megaflow may look at in part
      decimal("icmp_code", F::tp_dst);
    } else if (ethertype_ == ethertype::ipv6 && proto_ == ip_proto::icmp6) {
      decimal("icmp_type", F::tp_src);  // whose 16 bits a megaflow may look at in part
      decimal("icmp_code", F::tp_dst);
      address("nd_target", F::nd_target);
      ethernet("nd_sll", F::nd_sll);
      ethernet("nd_tll", F::nd_tll);
      word32("nd_reserved", F::nd_reserved);
      decimal("nd_options_type", F::nd_options_type);
    } else {
      decimal("tp_src", F::tp_src);
      decimal("tp_dst", F::tp_dst);
    }
    if (proto_ == ip_proto::tcp) flags("tcp_flags", F::tcp_flags, 0xfff);
  }

  FlowKey value_, mask_;
  std::string out_;
  std::uint16_t ethertype_ = 0;
  std::uint8_t proto_ = 0;
  bool skip_type_ = false, skip_proto_ = false;
};

}  // namespace

std::string format_match(openflow::MatchView match) { return MatchWriter(match).write(); }

}  // namespace egt::parsers
