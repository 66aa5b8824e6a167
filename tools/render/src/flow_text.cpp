#include "flow_text.h"

#include <fmt/format.h>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/openflow/prerequisites.h"
#include "egtrace/packet/packet.h"

namespace egt::render {
namespace {

using F = FieldId;

constexpr std::uint32_t kVlanPresent = 0x1000;

std::string flags_text(std::uint64_t flags, std::initializer_list<std::string_view> names) {
  if (flags == 0) return "0";
  std::string out;
  std::uint64_t bit = 1;
  for (const std::string_view name : names) {
    if ((flags & bit) && !name.empty()) {
      out += fmt::format("{}{}", out.empty() ? "" : "|", name);
      flags &= ~bit;
    }
    bit <<= 1;
  }
  if (flags) out += fmt::format("{}{:#x}", out.empty() ? "" : "|", flags);
  return out;
}

std::string_view frag_text(std::uint32_t frag) {
  return frag == 0 ? "no" : frag == 1 ? "first" : frag == 3 ? "later" : "<error>";
}

// The word for type and protocol, and whether it implies the protocol.
struct ProtocolWord {
  std::string_view text;
  bool says_protocol = false;
};

ProtocolWord word_for(const FlowKey& k) {
  const auto proto = k.u32(F::nw_proto);
  switch (k.u64(F::eth_type)) {
    case ethertype::ipv4:
      switch (proto) {
        case ip_proto::icmp: return {"icmp", true};
        case ip_proto::tcp: return {"tcp", true};
        case ip_proto::udp: return {"udp", true};
        case ip_proto::sctp: return {"sctp", true};
        default: return {"ip", false};
      }
    case ethertype::ipv6:
      switch (proto) {
        case ip_proto::icmp6: return {"icmp6", true};
        case ip_proto::tcp: return {"tcp6", true};
        case ip_proto::udp: return {"udp6", true};
        case ip_proto::sctp: return {"sctp6", true};
        default: return {"ipv6", false};
      }
    case ethertype::arp: return {"arp", false};
    case ethertype::rarp: return {"rarp", false};
    case ethertype::mpls: return {"mpls", false};
    case ethertype::mplsm: return {"mplsm", false};
    default: return {};
  }
}

class FlowWriter {
 public:
  explicit FlowWriter(const FlowKey& packet) : k_(packet) {}
  std::string write();

 private:
  void put(std::string_view text) { out_ += fmt::format("{}{}", out_.empty() ? "" : ",", text); }
  void field(F id) { put(fmt::format("{}={}", egt::field(id).name, field_text(id, k_.get(id)))); }
  void unless_zero(F id) {
    if (k_.get(id) != 0) field(id);
  }
  void connection();
  void vlan();
  void addresses();
  void icmp6(bool later);
  void transport();

  const FlowKey& k_;
  std::string out_;
};

void FlowWriter::connection() {
  for (const F id : {F::pkt_mark, F::recirc_id, F::dp_hash, F::skb_priority, F::ct_state, F::ct_zone, F::ct_mark, F::ct_label})
    unless_zero(id);
  // flow_wildcards_init_for_packet() in lib/flow.c of Open vSwitch
  if (!is_ip(k_) || k_.get(F::ct_state) == 0 || k_.get(F::ct_nw_proto) == 0) return;
  const bool v6 = k_.u64(F::eth_type) == ethertype::ipv6;
  if (!openflow::is_nd(k_, nullptr)) {
    field(v6 ? F::ct_ipv6_src : F::ct_nw_src);
    field(v6 ? F::ct_ipv6_dst : F::ct_nw_dst);
  }
  for (const F id : {F::ct_nw_proto, F::ct_tp_src, F::ct_tp_dst}) field(id);
}

void FlowWriter::vlan() {
  const auto tci = k_.u32(F::vlan_tci);
  if (tci & kVlanPresent) {
    put(fmt::format("dl_vlan={},dl_vlan_pcp={}", tci & 0xfff, tci >> 13));
  } else {
    put(fmt::format("vlan_tci={:#06x}", tci));
  }
  if (tci) put(fmt::format("vlan_tci1={:#06x}", k_.u32(F::vlan_tci1)));
}

void FlowWriter::addresses() {
  const auto type = k_.u64(F::eth_type);
  if (type == ethertype::ipv4) {
    field(F::ip_src);
    field(F::ip_dst);
  } else if (type == ethertype::ipv6) {
    for (const F id : {F::ipv6_src, F::ipv6_dst, F::ipv6_label}) field(id);
  } else if (type == ethertype::arp || type == ethertype::rarp) {
    for (const F id : {F::arp_spa, F::arp_tpa, F::arp_op, F::arp_sha, F::arp_tha}) field(id);
  } else if (type == ethertype::mpls || type == ethertype::mplsm) {
    for (const F id : {F::mpls_label, F::mpls_tc, F::mpls_ttl, F::mpls_bos})
      put(fmt::format("{}={}", egt::field(id).name, k_.u32(id)));
    put("mpls_lse1=0,mpls_lse2=0");  // OVN knows no labels
  }
}

// Of later fragments is shown what the test for neighbour discovery reads (is_nd() in lib/flow.h of Open vSwitch).
void FlowWriter::icmp6(bool later) {
  const auto type = k_.u32(F::tp_src), code = k_.u32(F::tp_dst);
  if (!later || code == 0) put(fmt::format("icmp_type={}", type));
  put(fmt::format("icmp_code={}", code));
  if (code != 0 || (type != 135 && type != 136)) return;
  for (const F id : {F::nd_target, F::nd_sll, F::nd_tll}) field(id);
}

void FlowWriter::transport() {
  const auto proto = k_.u32(F::nw_proto);
  const bool v4 = k_.u64(F::eth_type) == ethertype::ipv4;
  const bool later = k_.u32(F::ip_frag) & ip_frag::later;
  if (proto == ip_proto::icmp6 && !v4) return icmp6(later);
  if (later) return;
  switch (proto) {
    case ip_proto::icmp:
    case ip_proto::icmp6:
    case ip_proto::igmp:
    case ip_proto::tcp:
    case ip_proto::udp:
    case ip_proto::sctp: break;
    default: return;
  }
  const bool icmp = proto == ip_proto::icmp && v4;
  put(fmt::format("{}={},{}={}", icmp ? "icmp_type" : "tp_src", k_.u32(F::tp_src), icmp ? "icmp_code" : "tp_dst",
                  k_.u32(F::tp_dst)));
  if (proto == ip_proto::tcp) field(F::tcp_flags);
}

std::string FlowWriter::write() {
  connection();
  const ProtocolWord word = word_for(k_);
  if (!word.text.empty()) put(word.text);
  for (auto id = static_cast<unsigned>(F::reg0); id <= static_cast<unsigned>(F::reg15); ++id) unless_zero(static_cast<F>(id));
  unless_zero(F::metadata);
  unless_zero(F::in_port);
  vlan();
  put(fmt::format("dl_src={},dl_dst={}", field_text(F::eth_src, k_.get(F::eth_src)), field_text(F::eth_dst, k_.get(F::eth_dst))));
  if (word.text.empty()) put(fmt::format("dl_type={:#06x}", k_.u64(F::eth_type)));
  addresses();
  if (!is_ip(k_)) return std::move(out_);
  if (!word.says_protocol) put(fmt::format("nw_proto={}", k_.u32(F::nw_proto)));
  put(fmt::format("nw_tos={},nw_ecn={},nw_ttl={},nw_frag={}", k_.u32(F::nw_tos) & 0xfc, k_.u32(F::nw_ecn), k_.u32(F::nw_ttl),
                  frag_text(k_.u32(F::ip_frag))));
  transport();
  return std::move(out_);
}

}  // namespace

std::string flow_text(const FlowKey& packet) { return FlowWriter(packet).write(); }

std::string ct_state_text(std::uint32_t state) {
  return flags_text(state, {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"});
}

std::string field_text(FieldId id, U128 value) {
  switch (field(id).format) {
    case FieldFormat::decimal:
    case FieldFormat::of10_port:
    case FieldFormat::of11_port: return fmt::format("{}", low64(value));
    case FieldFormat::ethernet: return MacAddr{low64(value)}.to_string();
    case FieldFormat::ipv4: return IpAddr::v4(static_cast<std::uint32_t>(value)).to_string();
    case FieldFormat::ipv6: return IpAddr::v6(value).to_string();
    case FieldFormat::ct_state: return ct_state_text(static_cast<std::uint32_t>(value));
    case FieldFormat::frag: return std::string(frag_text(static_cast<std::uint32_t>(value)));
    case FieldFormat::tcp_flags:
      return flags_text(low64(value), {"fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns", "[200]", "[400]", "[800]"});
    default: break;
  }
  if (id == F::ipv6_label) return fmt::format("{:#07x}", low64(value));
  if (id == F::vlan_tci) return fmt::format("{:#06x}", low64(value));
  return hex(value, true);
}

}  // namespace egt::render
