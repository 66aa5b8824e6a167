// TTLs, MPLS labels and the headers of packet-type aware pipelines.
#include "egtrace/base/text.h"
#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr std::uint16_t kInvalidTtl = 2;
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

void Xlate::push_mpls_action(std::uint16_t type) {
  const unsigned n = mpls_count(flow_, &wc());
  if (n == 0) {
    commit();
  } else if (n >= kMaxMplsLabels) {
    error_ = XlateError::too_many_mpls_labels;
    return;
  }
  push_mpls(flow_, n, type, &wc(), true);
}

void Xlate::pop_mpls_action(std::uint16_t type) {
  const unsigned n = mpls_count(flow_, &wc());
  if (pop_mpls(flow_, n, type, &wc())) {
    if (!is_mpls(type)) was_mpls_ = true;
  } else if (n >= kMaxMplsLabels) {
    error_ = XlateError::too_many_mpls_labels;
    out_->clear();
  }
}

bool Xlate::dec_ttl(const DecTtl& a) {
  if (!is_ip_any(flow_)) return false;
  mask_all(wc(), F::nw_ttl);
  const auto ttl = get(flow_, F::nw_ttl);
  if (ttl > 1) {
    flow_.set(F::nw_ttl, ttl - 1);
    return false;
  }
  if (a.controllers.empty()) to_controller(0xffff, kInvalidTtl, 0, std::nullopt, nullptr);
  for (const std::uint16_t id : a.controllers) to_controller(0xffff, kInvalidTtl, id, std::nullopt, nullptr);
  report(NodeKind::warning, Remark::ttl_exception, get(flow_, F::eth_type) == ethertype::ipv4 ? 4 : 6);
  return true;
}

// Whether it came to an end. `present`: the packet has the header.
bool Xlate::dec_header_ttl(F field, bool present, Remark exception) {
  if (present) {
    mask_all(wc(), field);
    const auto ttl = get(flow_, field);
    if (ttl > 1) {
      flow_.set(field, ttl - 1);
      return false;
    }
    to_controller(0xffff, kInvalidTtl, 0, std::nullopt, nullptr);
  }
  report(NodeKind::warning, exception);
  return true;
}

bool Xlate::dec_mpls_ttl() { return dec_header_ttl(F::mpls_ttl, is_mpls(get(flow_, F::eth_type)), Remark::mpls_ttl_exception); }

bool Xlate::dec_nsh_ttl() {
  const bool present = get(flow_, F::packet_type) == packet_type::nsh || get(flow_, F::eth_type) == ethertype::nsh;
  return dec_header_ttl(F::nsh_ttl, present, Remark::nsh_ttl_exception);
}

void Xlate::encap(const Encap& a) {
  const std::string& what = a.argument;
  const auto type = static_cast<std::uint32_t>(get(flow_, F::packet_type));
  commit();
  encap_data_.clear();
  if (what.rfind("ethernet", 0) == 0) {
    mask_all(wc(), F::packet_type);
    if (type >> 16 != 1) {
      report(NodeKind::action, Remark::encap_of_ethernet);
      error_ = XlateError::unsupported_packet_type;
      return;
    }
    flow_.set(F::packet_type, packet_type::ethernet);
    flow_.set(F::eth_src, 0);
    flow_.set(F::eth_dst, 0);
    flow_.set(F::eth_type, type & 0xffff);
  } else if (what.rfind("nsh", 0) == 0) {
    const auto md_type = static_cast<unsigned>(encap_number(argument_of(what, "md_type=")));
    const auto next = nsh_next_protocol(type);
    if (!next) {
      report(NodeKind::action, Remark::encap_nsh_of_type, type >> 16, type & 0xffff);
      error_ = XlateError::unsupported_packet_type;
      return;
    }
    mask_all(wc(), F::packet_type);
    clear_headers(flow_);
    flow_.set(F::packet_type, packet_type::nsh);
    flow_.set(F::eth_type, ethertype::nsh);
    flow_.set(F::nsh_ttl, 63);
    flow_.set(F::nsh_np, *next);
    flow_.set(F::nsh_si, 255);
    flow_.set(F::nsh_mdtype, md_type == 2 ? 2 : 1);
    if (md_type == 2) encap_data_ = nsh_metadata(what);
  } else if (what.rfind("mpls", 0) == 0) {
    const unsigned n = mpls_count(flow_, &wc());
    if (n >= kMaxMplsLabels) {
      error_ = XlateError::too_many_mpls_labels;
      return;
    }
    const std::uint16_t mpls = what.rfind("mpls_mc", 0) == 0 ? ethertype::mplsm : ethertype::mpls;
    mask_all(wc(), F::packet_type);
    if (type == packet_type::ethernet && get(flow_, F::eth_type) == ethertype::mpls) {
      for (unsigned i = 0; i < kMaxMplsLabels; ++i) {
        set_mpls_lse(wc(), i, 0);
        set_mpls_lse(flow_, i, 0);
        set_mpls_lse(base_, i, 0);
      }
    }
    flow_.set(F::packet_type, 0x10000u | mpls);
    push_mpls(flow_, n, mpls, &wc(), true);
    flow_.set(F::eth_src, 0);
    flow_.set(F::eth_dst, 0);
  } else {
    gap(Input::action_meaning, {"encap(" + what + ")"});
    return;
  }
  pending_encap_ = true;
}

bool Xlate::decap(const Decap& a) {
  const auto type = static_cast<std::uint32_t>(get(flow_, F::packet_type));
  commit();
  switch (type) {
    case packet_type::ethernet:
      if (get(flow_, F::vlan_tci) & kVlanPresent) {
        report(NodeKind::action, Remark::decap_vlan);
        error_ = XlateError::unsupported_packet_type;
        return false;
      }
      flow_.set(F::packet_type, 0x10000 | get(flow_, F::eth_type));
      flow_.set(F::eth_src, 0);
      flow_.set(F::eth_dst, 0);
      mask_all(wc(), F::eth_type);
      return false;
    case packet_type::nsh: {
      const auto next = get(flow_, F::nsh_np);
      const std::uint32_t types[] = {0, packet_type::ipv4, packet_type::ipv6, packet_type::ethernet, packet_type::nsh};
      if (next < kNshIpv4 || next > kNshNsh) {
        report(NodeKind::action, Remark::decap_nsh_next, next);
        error_ = XlateError::unsupported_packet_type;
        return false;
      }
      flow_.set(F::packet_type, types[next]);
      mask_all(wc(), F::nsh_np);
      pending_decap_ = true;
      return true;
    }
    case packet_type::mpls:
    case packet_type::mplsm: {
      // decap(packet_type(ns=N,type=0xTTTT)) shows what comes to light.
      constexpr std::uint32_t kUseNextProtocol = 0xfffe;  // without an argument
      const std::string_view said = argument_of(a.argument, "type=");
      const auto ns = encap_number(argument_of(a.argument, "ns=")), to = said.empty() ? kUseNextProtocol : encap_number(said);
      flow_.set(F::packet_type, ns << 16 | to);
      const unsigned n = mpls_count(flow_, &wc());
      const auto inner = static_cast<std::uint16_t>(to != 0 ? to : kTransparentEthernet);
      if (pop_mpls(flow_, n, inner, &wc())) {
        pending_decap_ = true;
        return n == 1;
      }
      if (n >= kMaxMplsLabels) {
        error_ = XlateError::too_many_mpls_labels;
        out_->clear();
      }
      return false;
    }
    default:
      report(NodeKind::action, Remark::decap_of_type, type >> 16, type & 0xffff);
      error_ = XlateError::unsupported_packet_type;
      return false;
  }
}

}  // namespace egt::engine::ofproto
