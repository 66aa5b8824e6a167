// A match in the order and forms of lib/match.c:match_format.
#include <string>

#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/match_terms.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers {
namespace {

using namespace ofctl;
using F = FieldId;

// Which terms a match has, and their order.
class MatchWriter {
 public:
  explicit MatchWriter(openflow::MatchView match) : out_(match) {
    ethertype_ = out_.mask(F::eth_type) ? static_cast<std::uint16_t>(out_.value(F::eth_type)) : 0;
    proto_ = out_.mask(F::nw_proto) ? static_cast<std::uint8_t>(out_.value(F::nw_proto)) : 0;
  }

  std::string write() {
    metadata();
    protocol();
    registers();
    tunnel();
    out_.hex("metadata", F::metadata);
    out_.port("in_port", F::in_port);
    vlan();
    out_.field_form("dl_src", F::eth_src);
    out_.field_form("dl_dst", F::eth_dst);
    if (!skip_type_ && out_.mask(F::eth_type)) out_.padded("dl_type", ethertype_, 4);
    network();
    transport();
    return out_.take();
  }

 private:
  void metadata() {
    out_.hex("pkt_mark", F::pkt_mark);
    out_.hex("recirc_id", F::recirc_id);
    out_.hex("dp_hash", F::dp_hash);
    out_.plain_decimal("conj_id", F::conj_id);
    out_.hex("skb_priority", F::skb_priority);
    out_.port("actset_output", F::actset_output);
    out_.flags("ct_state", F::ct_state, 0xff);
    out_.decimal("ct_zone", F::ct_zone);
    out_.hex("ct_mark", F::ct_mark);
    out_.hex("ct_label", F::ct_label);
    out_.field_form("ct_nw_src", F::ct_nw_src);
    out_.field_form("ct_ipv6_src", F::ct_ipv6_src);
    out_.field_form("ct_nw_dst", F::ct_nw_dst);
    out_.field_form("ct_ipv6_dst", F::ct_ipv6_dst);
    if (out_.mask(F::ct_nw_proto) != 0) {
      out_.plain_decimal("ct_nw_proto", F::ct_nw_proto);
      out_.decimal("ct_tp_src", F::ct_tp_src);
      out_.decimal("ct_tp_dst", F::ct_tp_dst);
    }
    if (out_.mask(F::packet_type) != 0 && out_.value(F::packet_type) != 0) {
      out_.field_form("packet_type", F::packet_type);
      if (out_.value(F::packet_type) >> 16 == 1) ethertype_ = static_cast<std::uint16_t>(out_.value(F::packet_type) & 0xffff);
    } else if (out_.mask(F::recirc_id) != 0) {
      out_.word("eth");  // in megaflows the usual packet type is shown, too
    }
  }

  void protocol() {
    if (out_.mask(F::eth_type) == 0) return;
    skip_type_ = true;
    switch (ethertype_) {
      case ethertype::ipv4: return ip_protocol("ip", "", ip_proto::icmp, "icmp");
      case ethertype::ipv6: return ip_protocol("ipv6", "6", ip_proto::icmp6, "icmp6");
      case ethertype::arp: return out_.word("arp");
      case ethertype::rarp: return out_.word("rarp");
      case ethertype::mpls: return out_.word("mpls");
      case ethertype::mplsm: return out_.word("mplsm");
      default: skip_type_ = false;
    }
  }
  void ip_protocol(std::string_view any, std::string_view suffix, std::uint8_t icmp, std::string_view icmp_word) {
    skip_proto_ = out_.mask(F::nw_proto) != 0;
    if (skip_proto_ && proto_ == icmp) return out_.word(icmp_word);
    const std::string_view name = proto_ == ip_proto::tcp    ? "tcp"
                                  : proto_ == ip_proto::udp  ? "udp"
                                  : proto_ == ip_proto::sctp ? "sctp"
                                                             : "";
    if (!skip_proto_ || name.empty()) {
      skip_proto_ = false;
      return out_.word(any);
    }
    out_.word(name, suffix);
  }

  void registers() {
    for (unsigned i = 0; i < 32; ++i) {
      const auto f = static_cast<F>(static_cast<unsigned>(F::reg0) + i);
      out_.hex(field(f).name, f);
    }
  }

  void tunnel() {
    out_.hex("tun_id", F::tun_id);
    out_.field_form("tun_src", F::tun_src);
    out_.field_form("tun_dst", F::tun_dst);
    out_.field_form("tun_ipv6_src", F::tun_ipv6_src);
    out_.field_form("tun_ipv6_dst", F::tun_ipv6_dst);
    out_.decimal("tun_gbp_id", F::tun_gbp_id);
    out_.plain_hex("tun_gbp_flags", F::tun_gbp_flags);
    if (out_.mask(F::tun_tos) != 0) {
      std::string digits;
      write_padded_hex(out_.value(F::tun_tos), 1, digits);
      out_.text("tun_tos", std::string_view(digits).substr(2));
    }
    out_.plain_decimal("tun_ttl", F::tun_ttl);
    out_.plain_decimal("tun_erspan_ver", F::tun_erspan_ver);
    if (out_.value(F::tun_erspan_ver) == 1) out_.plain_hex("tun_erspan_idx", F::tun_erspan_idx);
    if (out_.value(F::tun_erspan_ver) == 2) {
      out_.plain_decimal("tun_erspan_dir", F::tun_erspan_dir);
      out_.plain_hex("tun_erspan_hwid", F::tun_erspan_hwid);
    }
    out_.plain_hex("gtpu_flags", F::tun_gtpu_flags);
    out_.plain_decimal("gtpu_msgtype", F::tun_gtpu_msgtype);
    // Open vSwitch knows more flags than the one that has a name here, so that one is never "all of them".
    if (out_.mask(F::tun_flags) != 0) out_.word(out_.value(F::tun_flags) != 0 ? "tun_flags=+oam" : "tun_flags=-oam");
    for (unsigned i = 0; i < 8; ++i)
      if (out_.masks().word(kTunnelOptionsWord) >> i & 1) option(static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i), i);
  }
  // "tun_metadata0=0x5/0xff", "tun_metadata0" with any value, "tun_metadata0=NP" where the packet must not have it.
  void option(F f, unsigned i) {
    if (!(out_.values().word(kTunnelOptionsWord) >> i & 1)) return out_.word(field(f).name, "=NP");
    if (out_.mask(f) == 0) return out_.word(field(f).name);
    out_.hex(field(f).name, f);
  }

  void vlan() {
    tag("dl_vlan", "dl_vlan_pcp", "vlan_tci", F::vlan_tci);
    tag("dl_vlan1", "dl_vlan_pcp1", "vlan_tci1", F::vlan_tci1);
  }
  void tag(std::string_view vid_name, std::string_view pcp_name, std::string_view tci_name, F f) {
    const auto tci = static_cast<unsigned>(out_.value(f)), m = static_cast<unsigned>(out_.mask(f));
    const unsigned vid = m & 0xfff, pcp = m & 0xe000;
    if ((m & tci & 0x1000) && (vid == 0 || vid == 0xfff) && (pcp == 0 || pcp == 0xe000) && (vid || pcp)) {
      if (vid) out_.number(vid_name, tci & 0xfff);
      if (pcp) out_.number(pcp_name, tci >> 13);
    } else if (m != 0) {
      m == 0xffff ? out_.padded(tci_name, tci, 4) : out_.padded(tci_name, tci, m, 4);
    }
  }

  bool is_arp() const { return ethertype_ == ethertype::arp || ethertype_ == ethertype::rarp; }

  void network() {
    if (ethertype_ == ethertype::ipv6) {
      out_.field_form("ipv6_src", F::ipv6_src);
      out_.field_form("ipv6_dst", F::ipv6_dst);
      out_.padded("ipv6_label", F::ipv6_label, 5);
    } else if (is_arp()) {
      out_.field_form("arp_spa", F::ip_src);
      out_.field_form("arp_tpa", F::ip_dst);
    } else if (ethertype_ == ethertype::nsh) {
      nsh();
    } else {
      out_.field_form("nw_src", F::ip_src);
      out_.field_form("nw_dst", F::ip_dst);
    }
    if (is_arp()) {
      out_.plain_decimal("arp_op", F::arp_op);
      out_.field_form("arp_sha", F::arp_sha);
      out_.field_form("arp_tha", F::arp_tha);
    } else if (!skip_proto_) {
      out_.plain_decimal("nw_proto", F::nw_proto);
    }
    out_.plain_decimal("nw_tos", F::nw_tos);
    out_.plain_decimal("nw_ecn", F::nw_ecn);
    out_.plain_decimal("nw_ttl", F::nw_ttl);
    out_.plain_decimal("mpls_label", F::mpls_label);
    out_.plain_decimal("mpls_tc", F::mpls_tc);
    out_.plain_decimal("mpls_ttl", F::mpls_ttl);
    out_.plain_decimal("mpls_bos", F::mpls_bos);
    if (out_.mask(F::ip_frag) != 0) out_.text("nw_frag", frag_word(out_.value(F::ip_frag), out_.mask(F::ip_frag)));
  }
  void nsh() {
    out_.decimal_or_padded("nsh_flags", F::nsh_flags, 2);
    out_.decimal_or_padded("nsh_ttl", F::nsh_ttl, 2);
    out_.decimal_or_padded("nsh_mdtype", F::nsh_mdtype, 2);
    out_.decimal_or_padded("nsh_np", F::nsh_np, 2);
    out_.padded("nsh_spi", F::nsh_spi, 1);
    out_.decimal_or_padded("nsh_si", F::nsh_si, 2);
    if (!out_.exact(F::nsh_mdtype) || out_.value(F::nsh_mdtype) != 1) return;  // what other types hold is no context
    for (const F f : {F::nsh_c1, F::nsh_c2, F::nsh_c3, F::nsh_c4}) out_.padded(field(f).name, f, 1);
  }

  void transport() {
    if (ethertype_ == ethertype::ipv4 && proto_ == ip_proto::icmp) {
      out_.decimal("icmp_type", F::tp_src);  // whose 16 bits a megaflow may look at in part
      out_.decimal("icmp_code", F::tp_dst);
    } else if (ethertype_ == ethertype::ipv6 && proto_ == ip_proto::icmp6) {
      out_.decimal("icmp_type", F::tp_src);  // whose 16 bits a megaflow may look at in part
      out_.decimal("icmp_code", F::tp_dst);
      out_.field_form("nd_target", F::nd_target);
      out_.field_form("nd_sll", F::nd_sll);
      out_.field_form("nd_tll", F::nd_tll);
      out_.decimal_or_padded("nd_reserved", F::nd_reserved, 8);
      out_.decimal("nd_options_type", F::nd_options_type);
    } else {
      out_.decimal("tp_src", F::tp_src);
      out_.decimal("tp_dst", F::tp_dst);
    }
    if (proto_ == ip_proto::tcp) out_.flags("tcp_flags", F::tcp_flags, 0xfff);
  }

  MatchTerms out_;
  std::uint16_t ethertype_ = 0;
  std::uint8_t proto_ = 0;
  bool skip_type_ = false, skip_proto_ = false;
};

}  // namespace

std::string format_match(openflow::MatchView match) { return MatchWriter(match).write(); }

}  // namespace egt::parsers
