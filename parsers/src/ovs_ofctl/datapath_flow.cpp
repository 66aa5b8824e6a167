#include "egtrace/parsers/datapath_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/openflow/prerequisites.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/match_text.h"

namespace egt::parsers {
namespace {

using F = FieldId;

constexpr unsigned kMostNesting = 3;  // of encap()
constexpr unsigned kMostTags = 2;
constexpr std::uint16_t kNoEthertype = 0x05ff;  // FLOW_DL_TYPE_NONE

// `rule`: the field whose prerequisites a value needs, where another one reads it.
struct KeyField {
  std::string_view group, key;
  FieldId field, rule;
};

constexpr KeyField kKeyFields[] = {
    {"skb_priority", "", F::skb_priority, F::skb_priority},
    {"skb_mark", "", F::pkt_mark, F::pkt_mark},
    {"recirc_id", "", F::recirc_id, F::recirc_id},
    {"dp_hash", "", F::dp_hash, F::dp_hash},
    {"ct_state", "", F::ct_state, F::ct_state},
    {"ct_zone", "", F::ct_zone, F::ct_zone},
    {"ct_mark", "", F::ct_mark, F::ct_mark},
    {"ct_label", "", F::ct_label, F::ct_label},
    {"ct_tuple4", "src", F::ct_nw_src, F::ct_nw_src},
    {"ct_tuple4", "dst", F::ct_nw_dst, F::ct_nw_dst},
    {"ct_tuple6", "src", F::ct_ipv6_src, F::ct_ipv6_src},
    {"ct_tuple6", "dst", F::ct_ipv6_dst, F::ct_ipv6_dst},
    {"ct_tuple4", "proto", F::ct_nw_proto, F::ct_nw_src},
    {"ct_tuple6", "proto", F::ct_nw_proto, F::ct_ipv6_src},
    {"ct_tuple4", "tp_src", F::ct_tp_src, F::ct_nw_src},
    {"ct_tuple6", "tp_src", F::ct_tp_src, F::ct_ipv6_src},
    {"ct_tuple4", "tp_dst", F::ct_tp_dst, F::ct_nw_src},
    {"ct_tuple6", "tp_dst", F::ct_tp_dst, F::ct_ipv6_src},
    {"tunnel", "tun_id", F::tun_id, F::tun_id},
    {"tunnel", "src", F::tun_src, F::tun_src},
    {"tunnel", "dst", F::tun_dst, F::tun_dst},
    {"tunnel", "ipv6_src", F::tun_ipv6_src, F::tun_ipv6_src},
    {"tunnel", "ipv6_dst", F::tun_ipv6_dst, F::tun_ipv6_dst},
    {"tunnel", "ttl", F::tun_ttl, F::tun_ttl},
    {"eth", "src", F::eth_src, F::eth_src},
    {"eth", "dst", F::eth_dst, F::eth_dst},
    {"mpls", "label", F::mpls_label, F::mpls_label},
    {"mpls", "tc", F::mpls_tc, F::mpls_tc},
    {"mpls", "ttl", F::mpls_ttl, F::mpls_ttl},
    {"mpls", "bos", F::mpls_bos, F::mpls_bos},
    {"ipv4", "src", F::ip_src, F::ip_src},
    {"ipv4", "dst", F::ip_dst, F::ip_dst},
    {"ipv4", "proto", F::nw_proto, F::ip_src},
    {"ipv4", "ttl", F::nw_ttl, F::ip_src},
    {"ipv4", "frag", F::ip_frag, F::ip_src},
    {"ipv6", "src", F::ipv6_src, F::ipv6_src},
    {"ipv6", "dst", F::ipv6_dst, F::ipv6_dst},
    {"ipv6", "label", F::ipv6_label, F::ipv6_label},
    {"ipv6", "proto", F::nw_proto, F::ipv6_src},
    {"ipv6", "hlimit", F::nw_ttl, F::ipv6_src},
    {"ipv6", "frag", F::ip_frag, F::ipv6_src},
    {"arp", "sip", F::arp_spa, F::arp_spa},
    {"arp", "tip", F::arp_tpa, F::arp_tpa},
    {"arp", "op", F::arp_op, F::arp_op},
    {"arp", "sha", F::arp_sha, F::arp_sha},
    {"arp", "tha", F::arp_tha, F::arp_tha},
    {"tcp", "src", F::tp_src, F::tcp_src},
    {"tcp", "dst", F::tp_dst, F::tcp_dst},
    {"tcp_flags", "", F::tcp_flags, F::tcp_flags},
    {"udp", "src", F::tp_src, F::udp_src},
    {"udp", "dst", F::tp_dst, F::udp_dst},
    {"sctp", "src", F::tp_src, F::sctp_src},
    {"sctp", "dst", F::tp_dst, F::sctp_dst},
    {"icmp", "type", F::tp_src, F::icmp_type},
    {"icmp", "code", F::tp_dst, F::icmp_code},
    {"icmpv6", "type", F::tp_src, F::icmpv6_type},
    {"icmpv6", "code", F::tp_dst, F::icmpv6_code},
    {"nd", "target", F::nd_target, F::nd_target},
    {"nd", "sll", F::nd_sll, F::nd_sll},
    {"nd", "tll", F::nd_tll, F::nd_tll},
    {"nd_ext", "nd_reserved", F::nd_reserved, F::nd_reserved},
    {"nd_ext", "nd_options_type", F::nd_options_type, F::nd_options_type},
};

bool is_group(std::string_view name) {
  constexpr std::string_view kOthers[] = {"in_port", "eth_type", "vlan", "packet_type", "encap"};
  return std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers) ||
         std::any_of(std::begin(kKeyFields), std::end(kKeyFields), [&](const KeyField& p) { return p.group == name; });
}

const KeyField* key_field_of(std::string_view group, std::string_view key) {
  const auto* found = std::find_if(std::begin(kKeyFields), std::end(kKeyFields),
                                   [&](const KeyField& p) { return p.group == group && p.key == key; });
  return found == std::end(kKeyFields) ? nullptr : found;
}

std::size_t end_of_group(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == '}') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// What stands before a mask, which begins at the first '/'.
std::string_view value_of(std::string_view text) { return trim(text.substr(0, text.find('/'))); }

std::optional<std::uint64_t> number(std::string_view text) {
  text = value_of(text);
  return text.starts_with("0x") || text.starts_with("0X") ? parse_hex(text.substr(2)) : parse_decimal(text);
}

class DatapathFlowReader {
 public:
  explicit DatapathFlowReader(unsigned vlan_limit) : vlan_limit_(vlan_limit == 0 ? kMostTags : std::min(vlan_limit, kMostTags)) {}
  // False, with error(): the text has not the form.
  bool read(std::string_view text, unsigned depth = 0) {
    while (true) {
      text.remove_prefix(std::min(text.find_first_not_of(", \t\r\n"), text.size()));
      if (text.empty()) return true;
      const std::size_t open = text.find('('), close = open == text.npos ? text.npos : end_of_group(text, open);
      if (close == text.npos || !is_group(text.substr(0, open))) return fail(text, depth);
      if (!group(text.substr(0, open), text.substr(open + 1, close - open - 1), depth)) return fail(text, depth);
      text.remove_prefix(close + 1);
    }
  }

  DatapathFlow finish() {
    FlowKey& key = flow_.key;
    if (!has_type_)
      key.set(F::eth_type, kNoEthertype);
    else if (!has_ethernet_ && !has_packet_type_)
      key.set(F::packet_type, 0x10000u | key.u32(F::eth_type));
    // Lower layers first, whatever the order of the text.
    std::vector<Value> waiting = std::move(values_);
    for (bool progress = true; progress && !waiting.empty();) {
      const std::size_t before = waiting.size();
      std::erase_if(waiting, [&](const Value& v) {
        if (!openflow::prerequisites_met(v.rule, key)) return false;
        key.set(v.field, v.value);
        return true;
      });
      progress = waiting.size() < before;
    }
    if (openflow::is_mpls(openflow::dl_type(key))) key.set_word(kLowerLabelsWord, lower_labels_);
    return std::move(flow_);
  }
  const std::string& error() const { return error_; }

 private:
  struct Value {
    FieldId field, rule;
    U128 value;
  };

  // What is wrong within encap() is said of encap().
  bool fail(std::string_view at, unsigned depth) {
    if (depth == 0 && error_.empty()) error_ = fmt::format("syntax error at {}", at);
    return false;
  }

  bool group(std::string_view name, std::string_view body, unsigned depth) {
    if (name == "encap" && !untagged_) {
      if (depth < vlan_limit_) flow_.key.set(F::eth_type, kNoEthertype);  // unless it has a type
      return depth < kMostNesting && read(body, depth + 1);
    }
    if (untagged_ && (name == "vlan" || name == "encap")) return true;
    if (depth > vlan_limit_ || (depth == vlan_limit_ && name == "vlan")) return true;  // a tag too many
    if (name == "in_port") return in_port(body);
    if (name == "eth_type") return type(body);
    if (name == "eth") has_ethernet_ = true;
    if (name == "vlan" && !has_type_) untagged_ = true;  // a tag is one by the type before it
    if (name == "vlan") return untagged_ || vlan(body, depth);
    if (name == "packet_type") return packet_type(body);
    if (const KeyField* whole = key_field_of(name, "")) return value(*whole, body);
    return parts(body, [&](std::string_view key, std::string_view text) { return part(name, key, text); });
  }

  // "key=value,key(value),…"
  template <class Each>
  bool parts(std::string_view body, Each each) {
    while (!(body = trim(body)).empty()) {
      const std::size_t end = body.find_first_of("=(");
      if (end == body.npos) return false;
      std::size_t stop = body[end] == '(' ? end_of_group(body, end) : std::min(body.find(',', end), body.size());
      if (stop == body.npos || !each(body.substr(0, end), body.substr(end + 1, stop - end - 1))) return false;
      if (stop < body.size() && body[end] == '(') ++stop;
      body.remove_prefix(stop);
      if (body.starts_with(',')) body.remove_prefix(1);
    }
    return true;
  }

  bool part(std::string_view group, std::string_view key, std::string_view text) {
    if ((group == "ipv4" && key == "tos") || (group == "ipv6" && key == "tclass")) return traffic_class(text, group == "ipv4");
    if (group == "tunnel" && key == "flags") return tunnel_flags(text);
    if (group == "tunnel" && key == "geneve") return geneve(text);
    if (group == "tunnel" && (key == "vxlan" || key == "erspan" || key == "gtpu")) return tunnel_header(key, text);
    if (group == "tunnel" && key == "tos") return tunnel_tos(text);
    if (group == "tunnel" && (key == "tp_src" || key == "tp_dst")) return number(text).has_value();
    const KeyField* field = key_field_of(group, key);
    if (group == "mpls" && key == "label") ++labels_;
    if (labels_ > 1 && group == "mpls") return field != nullptr && lower_label(key, text);
    return field != nullptr && value(*field, text);
  }

  // Of the entries below the top of the stack the switch reads two.
  bool lower_label(std::string_view key, std::string_view text) {
    const auto n = number(text);
    const unsigned shift = key == "label" ? 12 : key == "tc" ? 9 : key == "bos" ? 8 : 0;
    if (n && labels_ <= 3) lower_labels_ |= *n << (shift + (labels_ == 2 ? 32 : 0));
    return n.has_value();
  }

  bool value(const KeyField& key, std::string_view text) {
    MatchItem item;
    item.field = key.field;
    const char* why = "";
    const bool flags = text.starts_with('+') || text.starts_with('-');
    if (!ofctl::read_match_value(flags ? text : value_of(text), item, why)) return false;
    values_.push_back({key.field, key.rule, item.value});
    return true;
  }

  bool in_port(std::string_view text) {
    if (flow_.port || !flow_.port_name.empty()) {
      error_ = "duplicate in_port attribute in flow key";
      return false;
    }
    if (const auto n = number(text))
      flow_.port = static_cast<std::uint32_t>(*n);
    else
      flow_.port_name = std::string(trim(text));
    return flow_.port || !flow_.port_name.empty();
  }

  bool type(std::string_view text) {
    const auto n = number(text);
    if (!n || *n > 0xffff) return false;
    has_type_ = true;
    flow_.key.set(F::eth_type, *n);  // that within encap() comes last
    return true;
  }

  bool vlan(std::string_view body, unsigned depth) {
    std::uint64_t tci = 0x1000;
    const bool ok = parts(body, [&](std::string_view key, std::string_view text) {
      const auto n = number(text);
      if (!n) return false;
      if (key == "vid")
        tci |= *n & 0xfff;
      else if (key == "pcp")
        tci |= (*n & 7) << 13;
      else if (key == "cfi")
        tci = (tci & ~std::uint64_t{0x1000}) | (*n & 1) << 12;
      else
        return false;
      return true;
    });
    if (!ok || depth > 1) return false;
    flow_.key.set(depth == 0 ? F::vlan_tci : F::vlan_tci1, tci);
    flow_.tag_types[depth] = static_cast<std::uint16_t>(flow_.key.u32(F::eth_type));  // that of encap() comes later
    return true;
  }

  bool packet_type(std::string_view body) {
    std::uint64_t space = 0, id = 0;
    const bool ok = parts(body, [&](std::string_view key, std::string_view text) {
      const auto n = number(text);
      if (n) (key == "ns" ? space : id) = *n;
      return n && (key == "ns" || key == "id");
    });
    has_packet_type_ = true;
    flow_.key.set(F::packet_type, (space & 0xffff) << 16 | (id & 0xffff));
    return ok;
  }

  bool traffic_class(std::string_view text, bool v4) {
    const auto n = number(text);
    if (!n || *n > 0xff) return false;
    const FieldId rule = v4 ? F::ip_src : F::ipv6_src;
    values_.push_back({F::ip_dscp, rule, *n >> 2});
    values_.push_back({F::nw_ecn, rule, *n & 3});
    return true;
  }

  bool tunnel_tos(std::string_view text) {
    const auto n = number(text);
    if (n) flow_.key.set(F::tun_tos, *n);
    return n && *n <= 0xff;
  }

  // "df|csum|key", or "-df+csum+key" where a mask was printed.
  bool tunnel_flags(std::string_view text) {
    while (!text.empty()) {
      const bool off = text.starts_with('-');
      if (off || text.starts_with('+') || text.starts_with('|')) text.remove_prefix(1);
      const std::string_view word = text.substr(0, text.find_first_of("+-|"));
      const unsigned bit = word == "df" ? 2 : word == "csum" ? 4 : word == "key" ? 8 : word == "oam" ? 1 : 0;
      if (bit == 0) return number(text).has_value();
      if (!off && bit == 1) flow_.key.set(F::tun_flags, 1);
      if (!off && bit > 1) flow_.tunnel_flags = static_cast<std::uint16_t>(flow_.tunnel_flags | bit);
      text.remove_prefix(word.size());
    }
    return true;
  }

  // vxlan(gbp(id=5,flags=0x8)), erspan(ver=1,idx=0x7), gtpu(flags=0x30,msgtype=255)
  bool tunnel_header(std::string_view header, std::string_view body) {
    struct HeaderField {
      std::string_view header, key;
      FieldId field;
    };
    constexpr HeaderField kHeaderFields[] = {
        {"gbp", "id", F::tun_gbp_id},         {"gbp", "flags", F::tun_gbp_flags},       {"erspan", "ver", F::tun_erspan_ver},
        {"erspan", "idx", F::tun_erspan_idx}, {"erspan", "dir", F::tun_erspan_dir},     {"erspan", "hwid", F::tun_erspan_hwid},
        {"gtpu", "flags", F::tun_gtpu_flags}, {"gtpu", "msgtype", F::tun_gtpu_msgtype},
    };
    return parts(body, [&](std::string_view key, std::string_view text) {
      if (header == "vxlan") return key == "gbp" && tunnel_header(key, text);
      const auto* part = std::find_if(std::begin(kHeaderFields), std::end(kHeaderFields),
                                      [&](const HeaderField& p) { return p.header == header && p.key == key; });
      const auto n = number(text);
      if (part == std::end(kHeaderFields) || !n) return false;
      flow_.key.set(part->field, *n);
      return true;
    });
  }

  // "{class=0x102,type=0x80,len=4,0x10003/0x7fffffff}…"
  bool geneve(std::string_view text) {
    while (!(text = trim(text)).empty()) {
      const std::size_t close = text.starts_with('{') ? end_of_group(text, 0) : text.npos;
      if (close == text.npos || !tunnel_option(text.substr(1, close - 1))) return false;
      text.remove_prefix(close + 1);
    }
    return true;
  }

  bool tunnel_option(std::string_view text) {
    TunnelOption option;
    std::uint64_t length = 0;
    while (!text.empty()) {
      const std::string_view piece = take_until(text, ',');
      if (const std::size_t equals = piece.find('='); equals != piece.npos) {
        const auto n = number(piece.substr(equals + 1));
        const std::string_view key = piece.substr(0, equals);
        if (!n) return false;
        if (key == "class")
          option.option_class = static_cast<std::uint16_t>(*n);
        else if (key == "type")
          option.type = static_cast<std::uint8_t>(*n);
        else if (key == "len")
          length = *n;
        else
          return false;
      } else {
        std::string_view digits = value_of(piece);
        if (!consume(digits, "0x") || length > 124 || digits.size() > 2 * length) return false;
        std::string padded(2 * length - digits.size(), '0');
        padded += digits;
        for (std::size_t i = 0; i < padded.size(); i += 2) {
          const auto byte = parse_hex(std::string_view(padded).substr(i, 2));
          if (!byte) return false;
          option.data.push_back(static_cast<std::uint8_t>(*byte));
        }
      }
    }
    flow_.options.push_back(std::move(option));
    return true;
  }

  static constexpr std::size_t kLowerLabelsWord = 76;  // Extra::mpls_lse1 and mpls_lse2 of the engine

  unsigned vlan_limit_, labels_ = 0;
  std::uint64_t lower_labels_ = 0;
  DatapathFlow flow_;
  std::vector<Value> values_;
  std::string error_;
  bool untagged_ = false, has_type_ = false, has_ethernet_ = false, has_packet_type_ = false;
};

// The flow of "ufid:…, recirc_id(0),…, packets:5, bytes:490, used:0.1s, actions:2".
std::string_view flow_of(std::string_view line) {
  line = trim(line);
  if (line.starts_with("ufid:")) line.remove_prefix(std::min(line.find(',') + 1, line.size()));
  return trim(line.substr(0, line.find(", packets:")));
}

}  // namespace

Result<DatapathFlow> parse_datapath_flow(std::string_view text, unsigned vlan_limit) {
  DatapathFlowReader reader(vlan_limit);
  if (!reader.read(flow_of(text))) return Error{reader.error()};
  return reader.finish();
}

}  // namespace egt::parsers
