#include "headers.h"

#include "commit.h"
#include "egtrace/base/text.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr std::uint8_t kNshIpv4 = 1, kNshIpv6 = 2, kNshEthernet = 3, kNshNsh = 4;
constexpr std::uint16_t kTransparentEthernet = 0x6558;

// "nsh(md_type=2,tlv(0x1000,10,0x12345678))": the part behind a word and '='.
std::string_view argument_of(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + word.size());
  return rest.substr(0, rest.find_first_of(",)"));
}

std::uint64_t encap_number(std::string_view text) { return parse_u64(text).value_or(0); }

std::vector<std::uint8_t> hex_bytes(std::string_view text) {
  consume(text, "0x");
  const std::string padded = (text.size() % 2 != 0 ? "0" : "") + std::string(text);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < padded.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(parse_hex(std::string_view(padded).substr(i, 2)).value_or(0)));
  return bytes;
}

std::vector<std::uint8_t> nsh_metadata(std::string_view text) {
  constexpr std::string_view kOption = "tlv(";
  std::vector<std::uint8_t> out;
  for (std::size_t at = text.find(kOption); at != text.npos; at = text.find(kOption, at + 1)) {
    const std::string_view rest = text.substr(at + kOption.size());
    const std::vector<std::string_view> parts = split(rest.substr(0, rest.find(')')), ',');
    if (parts.size() != 3) break;
    const auto cls = encap_number(parts[0]);
    std::vector<std::uint8_t> data = hex_bytes(parts[2]);
    for (const std::uint64_t byte : {cls >> 8, cls, encap_number(parts[1]), std::uint64_t{data.size()}})
      out.push_back(static_cast<std::uint8_t>(byte));
    data.resize((data.size() + 3) / 4 * 4);
    out.insert(out.end(), data.begin(), data.end());
  }
  return out;
}

std::optional<std::uint8_t> nsh_next_protocol(std::uint32_t type) {
  switch (type) {
    case packet_type::ethernet: return kNshEthernet;
    case packet_type::ipv4: return kNshIpv4;
    case packet_type::ipv6: return kNshIpv6;
    case packet_type::nsh: return kNshNsh;
    default: return std::nullopt;
  }
}

}  // namespace

void HeaderActions::push_mpls(std::uint16_t type) {
  const unsigned n = mpls_count(packet_.flow, packet_.wc);
  if (n == 0) {
    commit(packet_, out_);
  } else if (n >= kMaxMplsLabels) {
    packet_.error = XlateError::too_many_mpls_labels;
    return;
  }
  ofproto::push_mpls(packet_.flow, n, type, packet_.wc, true);
}

void HeaderActions::pop_mpls(std::uint16_t type) {
  const unsigned n = mpls_count(packet_.flow, packet_.wc);
  if (ofproto::pop_mpls(packet_.flow, n, type, packet_.wc)) {
    if (!is_mpls(type)) packet_.was_mpls = true;
  } else if (n >= kMaxMplsLabels) {
    packet_.error = XlateError::too_many_mpls_labels;
    out_.clear();
  }
}

void HeaderActions::fails(XlateError error) {
  packet_.error = error;
  packet_.pending.encap = false;
}

void HeaderActions::encap(const openflow::Encap& a) {
  const std::string& what = a.argument;
  const auto type = static_cast<std::uint32_t>(get(packet_.flow, F::packet_type));
  commit(packet_, out_);
  packet_.pending.encap_data.clear();
  packet_.pending.encap = true;
  if (what.rfind("ethernet", 0) == 0) return encap_ethernet(type);
  if (what.rfind("nsh", 0) == 0) return encap_nsh(type, what);
  if (what.rfind("mpls", 0) == 0) return encap_mpls(type, what.rfind("mpls_mc", 0) == 0 ? ethertype::mplsm : ethertype::mpls);
  policy_.missing({Input::action_meaning, {"encap(" + what + ")"}});
  packet_.pending.encap = false;
}

void HeaderActions::encap_ethernet(std::uint32_t type) {
  mask_all(*packet_.wc, F::packet_type);
  if (type >> 16 != 1) {
    report_.note(NodeKind::action, Remark::encap_of_ethernet);
    return fails(XlateError::unsupported_packet_type);
  }
  packet_.flow.set(F::packet_type, packet_type::ethernet);
  packet_.flow.set(F::eth_src, 0);
  packet_.flow.set(F::eth_dst, 0);
  packet_.flow.set(F::eth_type, type & 0xffff);
}

void HeaderActions::encap_nsh(std::uint32_t type, const std::string& arguments) {
  const auto md_type = static_cast<unsigned>(encap_number(argument_of(arguments, "md_type=")));
  const auto next = nsh_next_protocol(type);
  if (!next) {
    report_.note(NodeKind::action, Remark::encap_nsh_of_type, type >> 16, type & 0xffff);
    return fails(XlateError::unsupported_packet_type);
  }
  mask_all(*packet_.wc, F::packet_type);
  clear_headers(packet_.flow);
  packet_.flow.set(F::packet_type, packet_type::nsh);
  packet_.flow.set(F::eth_type, ethertype::nsh);
  packet_.flow.set(F::nsh_ttl, 63);
  packet_.flow.set(F::nsh_np, *next);
  packet_.flow.set(F::nsh_si, 255);
  packet_.flow.set(F::nsh_mdtype, md_type == 2 ? 2 : 1);
  if (md_type == 2) packet_.pending.encap_data = nsh_metadata(arguments);
}

void HeaderActions::encap_mpls(std::uint32_t type, std::uint16_t mpls) {
  const unsigned n = mpls_count(packet_.flow, packet_.wc);
  if (n >= kMaxMplsLabels) return fails(XlateError::too_many_mpls_labels);
  mask_all(*packet_.wc, F::packet_type);
  if (type == packet_type::ethernet && get(packet_.flow, F::eth_type) == ethertype::mpls) {
    for (unsigned i = 0; i < kMaxMplsLabels; ++i)
      for (FlowKey* k : {packet_.wc, &packet_.flow, &packet_.base}) set_mpls_lse(*k, i, 0);
  }
  packet_.flow.set(F::packet_type, 0x10000u | mpls);
  ofproto::push_mpls(packet_.flow, n, mpls, packet_.wc, true);
  packet_.flow.set(F::eth_src, 0);
  packet_.flow.set(F::eth_dst, 0);
}

bool HeaderActions::decap(const Decap& a) {
  const auto type = static_cast<std::uint32_t>(get(packet_.flow, F::packet_type));
  commit(packet_, out_);
  switch (type) {
    case packet_type::ethernet: return decap_ethernet(), false;
    case packet_type::nsh: return decap_nsh();
    case packet_type::mpls:
    case packet_type::mplsm: return decap_mpls(a);
    default:
      report_.note(NodeKind::action, Remark::decap_of_type, type >> 16, type & 0xffff);
      return fails(XlateError::unsupported_packet_type), false;
  }
}

void HeaderActions::decap_ethernet() {
  if (get(packet_.flow, F::vlan_tci) & kVlanPresent) {
    report_.note(NodeKind::action, Remark::decap_vlan);
    return fails(XlateError::unsupported_packet_type);
  }
  packet_.flow.set(F::packet_type, 0x10000 | get(packet_.flow, F::eth_type));
  packet_.flow.set(F::eth_src, 0);
  packet_.flow.set(F::eth_dst, 0);
  mask_all(*packet_.wc, F::eth_type);
}

bool HeaderActions::decap_nsh() {
  const auto next = get(packet_.flow, F::nsh_np);
  const std::uint32_t types[] = {0, packet_type::ipv4, packet_type::ipv6, packet_type::ethernet, packet_type::nsh};
  if (next < kNshIpv4 || next > kNshNsh) {
    report_.note(NodeKind::action, Remark::decap_nsh_next, next);
    return fails(XlateError::unsupported_packet_type), false;
  }
  packet_.flow.set(F::packet_type, types[next]);
  mask_all(*packet_.wc, F::nsh_np);
  packet_.pending.decap = true;
  return true;
}

// decap(packet_type(ns=N,type=0xTTTT)) shows what comes to light.
bool HeaderActions::decap_mpls(const Decap& a) {
  constexpr std::uint32_t kUseNextProtocol = 0xfffe;  // without an argument
  const std::string_view type = argument_of(a.argument, "type=");
  const auto ns = encap_number(argument_of(a.argument, "ns=")), to = type.empty() ? kUseNextProtocol : encap_number(type);
  packet_.flow.set(F::packet_type, ns << 16 | to);
  const unsigned n = mpls_count(packet_.flow, packet_.wc);
  const auto inner = static_cast<std::uint16_t>(to != 0 ? to : kTransparentEthernet);
  if (ofproto::pop_mpls(packet_.flow, n, inner, packet_.wc)) {
    packet_.pending.decap = true;
    return n == 1;
  }
  if (n >= kMaxMplsLabels) {
    fails(XlateError::too_many_mpls_labels);
    out_.clear();
  }
  return false;
}

}  // namespace egt::engine::ofproto
