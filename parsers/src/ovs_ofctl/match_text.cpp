#include "ovs_ofctl/match_text.h"

#include <algorithm>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

struct Protocol {
  std::string_view word;
  std::uint16_t ethertype;
  int ip_proto;  // -1: any
};

constexpr Protocol kProtocols[] = {
    {"eth", 0, -1},
    {"ip", ethertype::ipv4, -1},
    {"ip4", ethertype::ipv4, -1},
    {"ipv4", ethertype::ipv4, -1},
    {"ipv6", ethertype::ipv6, -1},
    {"ip6", ethertype::ipv6, -1},
    {"icmp", ethertype::ipv4, ip_proto::icmp},
    {"icmp6", ethertype::ipv6, ip_proto::icmp6},
    {"igmp", ethertype::ipv4, ip_proto::igmp},
    {"tcp", ethertype::ipv4, ip_proto::tcp},
    {"tcp6", ethertype::ipv6, ip_proto::tcp},
    {"udp", ethertype::ipv4, ip_proto::udp},
    {"udp6", ethertype::ipv6, ip_proto::udp},
    {"sctp", ethertype::ipv4, ip_proto::sctp},
    {"sctp6", ethertype::ipv6, ip_proto::sctp},
    {"arp", ethertype::arp, -1},
    {"rarp", ethertype::rarp, -1},
    {"mpls", ethertype::mpls, -1},
    {"mplsm", ethertype::mplsm, -1},
    {"nsh", ethertype::nsh, -1},
};

struct Stat {
  std::string_view word;
  FlowStat::Kind kind;
};

constexpr Stat kStats[] = {
    {"cookie", FlowStat::Kind::cookie},
    {"duration", FlowStat::Kind::duration},
    {"table", FlowStat::Kind::table},
    {"table_id", FlowStat::Kind::table_id},
    {"n_packets", FlowStat::Kind::n_packets},
    {"n_bytes", FlowStat::Kind::n_bytes},
    {"idle_timeout", FlowStat::Kind::idle_timeout},
    {"hard_timeout", FlowStat::Kind::hard_timeout},
    {"importance", FlowStat::Kind::importance},
    {"idle_age", FlowStat::Kind::idle_age},
    {"hard_age", FlowStat::Kind::hard_age},
};

constexpr std::string_view kFlags[] = {"send_flow_rem",    "check_overlap",  "reset_counts",
                                       "no_packet_counts", "no_byte_counts", "no_readonly_table"};

struct Synonym {
  std::string_view word;
  FieldId field;
};

// Spellings of lib/match.c that are not names of lib/meta-flow.c.
constexpr Synonym kSynonyms[] = {
    {"gtpu_flags", FieldId::tun_gtpu_flags},
    {"gtpu_msgtype", FieldId::tun_gtpu_msgtype},
    {"igmp_type", FieldId::tp_src},
    {"igmp_code", FieldId::tp_dst},
    {"tcp_src", FieldId::tp_src},
    {"tcp_dst", FieldId::tp_dst},
    {"udp_src", FieldId::tp_src},
    {"udp_dst", FieldId::tp_dst},
    {"sctp_src", FieldId::tp_src},
    {"sctp_dst", FieldId::tp_dst},
};

// All words in one table without chains: a dump of a million flows asks it ten million times.
class KeyTable {
 public:
  KeyTable() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(FieldId::count_); ++i) add_field(static_cast<FieldId>(i));
    for (const Protocol& p : kProtocols) {
      KeyInfo k;
      k.kind = KeyInfo::Kind::protocol;
      k.ethertype = p.ethertype;
      k.has_ip_proto = p.ip_proto >= 0;
      k.ip_proto = k.has_ip_proto ? static_cast<std::uint8_t>(p.ip_proto) : 0;
      put(p.word, k);
    }
    for (const Stat& s : kStats) put(s.word, with_stat(KeyInfo::Kind::stat, s.kind));
    for (const std::string_view f : kFlags) put(f, with_stat(KeyInfo::Kind::flag, FlowStat::Kind::flag));
    for (const Synonym& s : kSynonyms) put(s.word, with_field(s.field));
    put("priority", with_stat(KeyInfo::Kind::priority, {}));
    put("actions", with_stat(KeyInfo::Kind::actions, {}));
    put("action", with_stat(KeyInfo::Kind::actions, {}));
  }

  const KeyInfo& find(std::string_view word) const {
    static const KeyInfo none;
    for (std::size_t i = slot_of(word);; i = (i + 1) % kSlots) {
      const Slot& s = slots_[i];
      if (s.word.empty()) return none;
      if (s.word == word) return s.info;
    }
  }

 private:
  static constexpr std::size_t kSlots = 2048;
  struct Slot {
    std::string_view word;
    KeyInfo info;
  };

  static std::size_t slot_of(std::string_view word) {
    std::uint32_t h = 2166136261u;
    for (const char c : word) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return (h ^ h >> 15) % kSlots;
  }
  static KeyInfo with_field(FieldId id) {
    KeyInfo k;
    k.kind = KeyInfo::Kind::field;
    k.field = id;
    return k;
  }
  static KeyInfo with_stat(KeyInfo::Kind kind, FlowStat::Kind stat) {
    KeyInfo k;
    k.kind = kind;
    k.stat = stat;
    return k;
  }
  void add_field(FieldId id) {
    if (id == FieldId::icmp_id) return;
    const Field& f = field(id);
    for (const std::string_view name : {f.name, f.alias, f.set_name, f.nxm_name})
      if (!name.empty()) put(name, with_field(id));
  }
  void put(std::string_view word, const KeyInfo& info) {
    if (word.empty()) return;
    std::size_t i = slot_of(word);
    while (!slots_[i].word.empty() && slots_[i].word != word) i = (i + 1) % kSlots;
    slots_[i] = {word, info};
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

void set_number(const Number& n, U128& value, ValueForm& form, std::uint8_t& width) {
  value = n.value;
  form = n.hexadecimal ? ValueForm::hexadecimal : ValueForm::decimal;
  width = n.width;
}

// Bits that a value may have where that differs from the field's width in the table.
U128 allowed(const MatchItem& item) {
  switch (item.field) {
    case FieldId::vlan_vid: return 0x1fff;
    case FieldId::dl_vlan: return 0xffff;  // 0xffff: no tag
    case FieldId::icmp_type:
    case FieldId::icmp_code:
    case FieldId::icmpv6_type:
    case FieldId::icmpv6_code: return 0xffff;  // masks are printed 16 bits wide
    case FieldId::in_port:
    case FieldId::in_port_oxm:
    case FieldId::actset_output: return 0xffffffff;
    default: return ones(field(item.field).bits);
  }
}

bool read_integer(std::string_view text, MatchItem& item, const char*& why) {
  const std::size_t slash = text.find('/');
  Number n;
  if (item.field == FieldId::tun_tos) {
    // tun_tos is printed in hexadecimal without 0x; a reader of typed text takes 0x, too.
    if (read_number(text, n) && n.hexadecimal) {
      set_number(n, item.value, item.form, item.width);
      return true;
    }
    const auto v = parse_hex(text);
    if (!v || *v > 255) return why = "not a hexadecimal number", false;
    item.form = ValueForm::bare_hex;
    item.value = *v;
    return true;
  }
  if (!read_number(text.substr(0, slash), n)) return why = "not a number", false;
  set_number(n, item.value, item.form, item.width);
  const U128 bits = allowed(item);
  if ((item.value & ~bits) != 0) return why = "value does not fit into the field", false;
  if (slash == std::string_view::npos) return true;
  if (!read_number(text.substr(slash + 1), n)) return why = "mask is not a number", false;
  set_number(n, item.mask, item.mask_form, item.mask_width);
  if ((item.mask & ~bits) != 0) return why = "mask does not fit into the field", false;
  return true;
}

bool read_address(std::string_view text, ValueForm form, MatchItem& item, const char*& why) {
  const std::size_t slash = text.find('/');
  const auto one = [&](std::string_view part, U128& out) {
    std::uint32_t v4 = 0;
    std::uint64_t mac = 0;
    if (form == ValueForm::ipv6) return read_ipv6(part, out);
    if (form == ValueForm::ipv4 ? !read_ipv4(part, v4) : !read_ethernet(part, mac)) return false;
    out = form == ValueForm::ipv4 ? U128{v4} : U128{mac};
    return true;
  };
  item.form = form;
  if (!one(text.substr(0, slash), item.value)) return why = "not an address of the field's kind", false;
  if (slash == std::string_view::npos) return true;
  const std::string_view mask = text.substr(slash + 1);
  const unsigned bits = field(item.field).bits;
  if (const auto length = form == ValueForm::ethernet ? std::nullopt : parse_decimal(mask)) {
    if (*length > bits) return why = "prefix is longer than the address", false;
    item.mask_form = ValueForm::prefix_length;
    item.mask = ones(bits) ^ ones(bits - static_cast<unsigned>(*length));
    return true;
  }
  item.mask_form = form;
  if (!one(mask, item.mask)) return why = "not a mask of the field's kind", false;
  return true;
}

bool read_flags(std::string_view text, MatchItem& item, const char*& why) {
  const auto names = flag_names(field(item.field).format);
  if (text.empty() || is_digit(text.front())) return read_integer(text, item, why);
  if (text.front() == '+' || text.front() == '-') {
    item.form = ValueForm::signed_flags;
    if (!read_signed_flags(text, names, item.value, item.mask)) return why = "unknown or repeated flag", false;
    return true;
  }
  item.form = ValueForm::named_flags;
  if (!read_named_flags(text, names, item.value)) return why = "unknown flag", false;
  return true;
}

bool read_port_value(std::string_view text, MatchItem& item, const char*& why) {
  Number n;
  const auto decimal = parse_decimal(text);  // never octal
  if (decimal || read_number(text, n)) {
    if (decimal) n = {*decimal, false, 0};
    set_number(n, item.value, item.form, item.width);
    if (item.value > 0xffffffff) return why = "port number is too large", false;
    return true;
  }
  item.text = text;
  if (const auto word = reserved_port(text)) {
    item.form = ValueForm::word;
    item.value = *word;
    return true;
  }
  openflow::Port port;
  if (!read_port(text, port)) return why = "neither a port number nor a port name", false;
  item.form = ValueForm::name;
  if (text.front() == '"') item.text = text.substr(1, text.size() - 2);
  return true;
}

void write_mask(const MatchItem& item, std::string& out) {
  if (item.mask_form == ValueForm::none) return;
  out += '/';
  switch (item.mask_form) {
    case ValueForm::prefix_length:
      write_decimal(static_cast<unsigned>(std::max(0, prefix_length(item.mask, field(item.field).bits))), out);
      break;
    case ValueForm::ipv4: write_ipv4(static_cast<std::uint32_t>(item.mask), out); break;
    case ValueForm::ipv6: write_ipv6(item.mask, out); break;
    case ValueForm::ethernet: write_ethernet(low64(item.mask), out); break;
    default: write_number({item.mask, item.mask_form == ValueForm::hexadecimal, item.mask_width}, out); break;
  }
}

// A 16-bit view of the outermost tag, with the bit by which Open vSwitch distinguishes tag 0 from no tag.
Added add_vlan(const MatchItem& item, WordSet& words) {
  constexpr U128 kPresent = 0x1000;
  const bool ok = [&] {
    switch (item.field) {
      case FieldId::dl_vlan:
        if (item.value == 0xffff) return words.add(FieldId::vlan_tci, 0, 0xffff);
        return words.add(FieldId::vlan_tci, kPresent | (item.value & 0xfff), 0x1fff);
      case FieldId::vlan_vid: return words.add(FieldId::vlan_tci, item.value & item.mask, item.mask & 0x1fff);
      default: return words.add(FieldId::vlan_tci, kPresent | item.value << 13, 0xf000);
    }
  }();
  return ok ? Added::yes : Added::inconsistency;
}

// Type and code of ICMP lie where other protocols have ports, and take all 16 bits of them (match_set_icmp_type()).
Added add_icmp(FieldId port, const MatchItem& item, WordSet& words) {
  constexpr U128 kWholeByte = 0xff;
  const U128 mask = item.mask == kWholeByte ? U128{0xffff} : item.mask;
  return words.add(port, item.value & mask, mask) ? Added::yes : Added::inconsistency;
}

// A field that cannot be masked may be given its whole bytes. Megaflows show masked ICMP types nevertheless.
bool mask_is_allowed(const Field& f, U128 mask) {
  if (f.maskable || f.id == FieldId::icmp_type || f.id == FieldId::icmp_code) return true;
  return mask == 0 || mask == ones((f.bits + 7u) / 8 * 8) || (f.bits % 8 == 0 && mask == ones(f.bits));
}

bool is_tunnel_option(FieldId id) { return id >= FieldId::tun_metadata0 && id <= FieldId::tun_metadata7; }

U128 port_number(U128 v) { return v > 0xffffff00 ? v & 0xffff : v; }

}  // namespace

const KeyInfo& key_info(std::string_view word) {
  static const KeyTable table;
  return table.find(word);
}

bool read_match_value(std::string_view text, MatchItem& item, const char*& why) {
  const Field& f = field(item.field);
  item.mask_form = ValueForm::none;
  item.mask = item.field == FieldId::vlan_vid ? U128{0x1fff} : ones(f.bits);
  bool ok = false;
  switch (f.format) {
    case FieldFormat::decimal:
    case FieldFormat::hexadecimal: ok = read_integer(text, item, why); break;
    case FieldFormat::ethernet: ok = read_address(text, ValueForm::ethernet, item, why); break;
    case FieldFormat::ipv4: ok = read_address(text, ValueForm::ipv4, item, why); break;
    case FieldFormat::ipv6: ok = read_address(text, ValueForm::ipv6, item, why); break;
    case FieldFormat::ct_state:
    case FieldFormat::tnl_flags:
    case FieldFormat::tcp_flags: ok = read_flags(text, item, why); break;
    case FieldFormat::frag:
      item.form = ValueForm::word;
      item.text = text;
      ok = read_frag(text, item.value, item.mask);
      if (!ok) why = "unknown kind of fragment";
      break;
    case FieldFormat::of10_port:
    case FieldFormat::of11_port: ok = read_port_value(text, item, why); break;
    case FieldFormat::packet_type:
      item.form = ValueForm::packet_type;
      ok = read_packet_type(text, item.value);
      if (!ok) why = "not a packet type";
      break;
  }
  if (ok && item.mask_form != ValueForm::none && !mask_is_allowed(f, item.mask)) return why = "the field cannot be masked", false;
  return ok;
}

void write_match_item(const MatchItem& item, std::string& out) {
  out += item.name;
  if (item.form == ValueForm::none) return;
  out += '=';
  switch (item.form) {
    case ValueForm::bare_hex: {
      std::string digits;
      write_padded_hex(item.value, 1, digits);
      out += std::string_view(digits).substr(2);
      return;
    }
    case ValueForm::ethernet: write_ethernet(low64(item.value), out); break;
    case ValueForm::ipv4: write_ipv4(static_cast<std::uint32_t>(item.value), out); break;
    case ValueForm::ipv6: write_ipv6(item.value, out); break;
    case ValueForm::signed_flags: return write_signed_flags(item.value, item.mask, flag_names(field(item.field).format), out);
    case ValueForm::named_flags: return write_named_flags(item.value, flag_names(field(item.field).format), out);
    case ValueForm::word:
      if (field(item.field).format == FieldFormat::frag) {
        out += frag_word(item.value, item.mask);
      } else {
        write_port_number(static_cast<std::uint32_t>(item.value), out);
      }
      return;
    case ValueForm::name: return write_name(item.text, out);
    case ValueForm::packet_type: return write_packet_type(item.value, out);
    default: write_number({item.value, item.form == ValueForm::hexadecimal, item.width}, out); break;
  }
  write_mask(item, out);
}

bool WordSet::add(std::uint8_t word, std::uint64_t value, std::uint64_t mask) {
  value &= mask;
  if (mask == 0) return true;
  std::size_t i = n_;
  while (i > 0 && words_[i - 1].word > word) --i;
  if (i > 0 && words_[i - 1].word == word) {
    openflow::MatchWord& w = words_[i - 1];
    if (((w.value ^ value) & w.mask & mask) != 0) return false;
    w.value |= value;
    w.mask |= mask;
    return true;
  }
  for (std::size_t k = n_; k > i; --k) words_[k] = words_[k - 1];
  words_[i] = {word, value, mask};
  ++n_;
  return true;
}

bool WordSet::add(FieldId id, U128 value, U128 mask) {
  const Field& f = field(id);
  if (f.bits <= 64) {
    const std::uint64_t own = low64(ones(f.bits));
    return add(f.word, (low64(value) & own) << f.shift, (low64(mask) & own) << f.shift);
  }
  const auto low = static_cast<std::uint8_t>(f.word + 1);
  return add(f.word, high64(value), high64(mask)) && add(low, low64(value), low64(mask));
}

bool value_is_mask(FieldId id) { return id >= FieldId::tun_erspan_ver && id <= FieldId::tun_gtpu_msgtype; }

Added add_item(const MatchItem& item, WordSet& words, const PortResolver& ports) {
  if (item.field == FieldId::count_) {
    const KeyInfo& k = key_info(item.name);
    if (k.kind != KeyInfo::Kind::protocol) return Added::inexpressible;
    const bool ok = (k.ethertype == 0 || words.add(FieldId::eth_type, k.ethertype, 0xffff)) &&
                    (!k.has_ip_proto || words.add(FieldId::nw_proto, k.ip_proto, 0xff));
    return ok ? Added::yes : Added::inconsistency;
  }
  if (is_tunnel_option(item.field)) {
    const std::uint64_t bit = std::uint64_t{1}
                              << (static_cast<unsigned>(item.field) - static_cast<unsigned>(FieldId::tun_metadata0));
    if (!words.add(kTunnelOptionsWord, bit, bit)) return Added::inconsistency;
    if (item.form == ValueForm::none) return Added::yes;  // any value
  }
  if (item.form == ValueForm::none) return Added::inexpressible;
  U128 value = item.value;
  switch (item.field) {
    case FieldId::dl_vlan:
    case FieldId::vlan_vid:
    case FieldId::dl_vlan_pcp:
    case FieldId::vlan_pcp: return add_vlan(item, words);
    case FieldId::nw_tos: return words.add(FieldId::nw_tos, value, 0xfc) ? Added::yes : Added::inconsistency;
    case FieldId::in_port:
    case FieldId::in_port_oxm:
    case FieldId::actset_output:
      if (item.form == ValueForm::name) {
        const auto number = ports ? ports(item.text) : std::nullopt;
        if (!number) return Added::inexpressible;
        value = *number;
      }
      value = port_number(value);
      // in_port_oxm holds 32 bits over the same place; flows look at 16.
      if (item.field != FieldId::actset_output)
        return words.add(FieldId::in_port, value, 0xffff) ? Added::yes : Added::inconsistency;
      break;
    case FieldId::icmp_type:
    case FieldId::icmpv6_type: return add_icmp(FieldId::tp_src, item, words);
    case FieldId::icmp_code:
    case FieldId::icmpv6_code: return add_icmp(FieldId::tp_dst, item, words);
    case FieldId::arp_op:  // lies where other packets have their protocol, and is as wide
      return words.add(FieldId::nw_proto, value, 0xff) ? Added::yes : Added::inconsistency;
    case FieldId::ipv6_label:
    case FieldId::nd_options_type:
      if (item.mask == ones(field(item.field).bits) && !words.add(field(item.field).word, 0, openflow::beyond_field(item.field)))
        return Added::inconsistency;
      break;
    default: break;
  }
  const U128 mask = value_is_mask(item.field) ? value : item.mask;
  return words.add(item.field, value, mask) ? Added::yes : Added::inconsistency;
}

}  // namespace egt::parsers::ofctl
