#include "egtrace/explain/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "phrases/decode/facts.h"
#include "phrases/decode/names.h"

namespace egt::explain {
namespace {

// Collects meanings; each is shown once.
class Meanings {
 public:
  void add(std::string as, std::string text) {
    if (text.empty()) return;
    Meaning m{std::move(as), std::move(text)};
    if (std::find(all_.begin(), all_.end(), m) == all_.end()) all_.push_back(std::move(m));
  }
  bool empty() const { return all_.empty(); }
  std::vector<Meaning> take() { return std::move(all_); }

 private:
  std::vector<Meaning> all_;
};

constexpr FieldId kRegisters[] = {FieldId::reg0,  FieldId::reg1,  FieldId::reg2,  FieldId::reg3, FieldId::reg4,  FieldId::reg5,
                                  FieldId::reg6,  FieldId::reg7,  FieldId::reg8,  FieldId::reg9, FieldId::reg10, FieldId::reg11,
                                  FieldId::reg12, FieldId::reg13, FieldId::reg14, FieldId::reg15};

std::string releases(std::string_view text) { return text.empty() ? std::string() : fmt::format(" [OVN {}]", text); }

// "0x64580003" as an address that a host could have.
bool is_plausible_address(U128 value) {
  const auto octet = static_cast<unsigned>(value >> 24);
  return value <= 0xffffffffU && octet >= 1 && octet < 240;
}

void add_default_meanings(const IpAddr& address, Meanings& out) {
  out.add("OVN-Kubernetes", default_address_meaning(address));
  out.add("OVN-Kubernetes", transit_link_meaning(address));
}

void add_address(const IpAddr& address, Meanings& out) {
  out.add(address.is_v4() ? "IPv4" : "IPv6", address.to_string());
  add_default_meanings(address, out);
}

// "100.88.0.8/31": the length shows which of an address's meanings is meant.
void add_prefix(const Prefix& prefix, Meanings& out) {
  const bool is_link_of_two = prefix.length + 1 == (prefix.address.is_v4() ? 32 : 128);
  out.add("OVN-Kubernetes", is_link_of_two ? link_of_two_meaning(prefix.address) : default_address_meaning(prefix.address));
}

// ---- fields

struct Written {
  Subfield where;
  U128 value = 0;
  U128 mask = ~static_cast<U128>(0);  // of the subfield's bits
};

std::string bit_value(const BitMeaning& b, U128 value) {
  const U128 v = (value >> b.first) & ones(b.bits);
  if (b.bits == 1) return v != 0 ? "1" : "0";
  if (b.field == FieldId::ct_label && b.bits == 48) return MacAddr{low64(v)}.to_string();
  if (b.bits == 32 && b.name.find("IPv4") != std::string_view::npos) return IpAddr::v4(static_cast<std::uint32_t>(v)).to_string();
  return fmt::format("{}", low64(v));
}

std::string bit_label(const BitMeaning& b) {
  std::string label(field(b.field).name);
  if (b.bits != field(b.field).bits)
    label += b.bits == 1 ? fmt::format("[{}]", b.first) : fmt::format("[{}..{}]", b.first, b.first + b.bits - 1);
  return b.in.empty() ? label : fmt::format("{} on a {}", label, b.in);
}

// Named bits of a field that were written or matched. Of flags in a whole register only those that are set.
void add_bits(FieldId id, U128 value, U128 mask, Meanings& out) {
  const bool whole_field = mask == ones(field(id).bits);
  for (const BitMeaning* b : bits_of(id)) {
    const U128 bits = ones(b->bits) << b->first;
    if ((mask & bits) != bits) continue;
    const bool is_flag = b->bits < field(id).bits;
    if (whole_field && is_flag && (value & bits) == 0) continue;
    if (whole_field && is_flag && b->in == "switch" && is_plausible_address(value)) continue;
    out.add(bit_label(*b), fmt::format("{} = {}{}", b->name, bit_value(*b, value), releases(b->releases)));
  }
}

void add_register(FieldId id, std::uint32_t value, std::uint32_t mask, Meanings& out) {
  const std::string name(field(id).name);
  if (mask == 0xffffffffU) {
    out.add(name, is_plausible_address(value) && value > 0xffff ? fmt::format("{} = {}", name, IpAddr::v4(value).to_string())
                                                                : fmt::format("{} = {:#x}", name, value));
  } else {
    out.add(name, fmt::format("{} = {:#x}/{:#x}", name, value, mask));
  }
  add_bits(id, value, mask, out);
  if (id == FieldId::reg15) out.add("multicast group", multicast_group_meaning(value));
  const bool zone = id == FieldId::reg11 || id == FieldId::reg12 || id == FieldId::reg13;
  if (zone && mask == 0xffffffffU) out.add("conntrack zone", zone_meaning(value));
}

bool is_register(FieldId id) { return field(id).name.find("reg") != std::string_view::npos; }

// Whatever name it was written by (reg, xreg, xxreg): the 32-bit registers that it touched.
void add_registers(const Written& w, Meanings& out) {
  FlowKey values, masks;
  values.set(w.where, w.value);
  masks.set(w.where, w.mask & ones(w.where.bits));
  for (const FieldId id : kRegisters)
    if (const std::uint32_t mask = masks.u32(id); mask != 0) add_register(id, values.u32(id), mask, out);
  if (w.where.bits == 48 && w.value != 0) {
    const MacAddr mac{low64(w.value) & 0xffffffffffffULL};
    out.add("MAC", mac.to_string());
    if (const auto address = address_of_mac(mac)) out.add("IPv4", address->to_string());
  }
  const bool wide = w.where.bits == 128 && w.where.first == 0 && (w.mask & ones(128)) == ones(128);
  if (wide && (w.value >> 32) != 0) add_address(IpAddr::v6(w.value), out);
}

void add_ct_state(std::uint32_t value, std::uint32_t mask, Meanings& out) {
  out.add("ct_state", fmt::format("{} ({:#x}/{:#x})", ct_state_names(value, mask), value, mask));
  if (mask & ct_state::trk) out.add("conntrack", ct_state_sentence(value));
}

void add_named_number(FieldId id, U128 value, bool whole_field, Meanings& out) {
  const std::uint32_t low = static_cast<std::uint32_t>(value);
  switch (id) {
    case FieldId::pkt_mark: return out.add("packet mark", mark_meaning(low));
    case FieldId::ct_mark:
      if (whole_field) out.add("connection mark", bridge_ct_mark_meaning(low));
      return;
    case FieldId::ct_zone: return out.add("conntrack zone", zone_meaning(low));
    case FieldId::tun_metadata0: return out.add("Geneve option", tunnel_ports(low));
    case FieldId::tun_id:
      return out.add("tunnel key", fmt::format("logical datapath (tunnel key) = {}", low64(value) & 0xffffff));
    default: return;
  }
}

void add_formatted(FieldId id, U128 value, Meanings& out) {
  switch (field(id).format) {
    case FieldFormat::ipv4: return add_address(IpAddr::v4(static_cast<std::uint32_t>(value)), out);
    case FieldFormat::ipv6: return add_address(IpAddr::v6(value), out);
    case FieldFormat::ethernet: {
      const MacAddr mac{low64(value)};
      out.add("MAC", mac.to_string());
      if (const auto address = address_of_mac(mac)) out.add("IPv4", address->to_string());
      return;
    }
    default: return;
  }
}

void add_field(const Written& w, Meanings& out) {
  const FieldId id = w.where.field;
  const U128 mask = (w.mask & ones(w.where.bits)) << w.where.first;
  const U128 value = (w.value << w.where.first) & mask;
  if (is_register(id)) return add_registers(w, out);
  if (id == FieldId::ct_state) return add_ct_state(static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(mask), out);
  const bool whole_field = mask == ones(field(id).bits);
  add_named_number(id, value, whole_field, out);
  add_bits(id, value, mask, out);
  if (whole_field) add_formatted(id, value, out);
}

// ---- reading what was written

// A number, an address, a MAC, or words of ct_state.
std::optional<U128> parse_value(std::string_view text) {
  if (const auto n = parse_u128(text)) return n;
  if (const auto a = IpAddr::parse(text)) return a->value;
  if (const auto m = MacAddr::parse(text)) return static_cast<U128>(m->value);
  return std::nullopt;
}

// "NXM_NX_XXREG0[96..127]", "reg0", "xreg0[0..47]"
std::optional<Subfield> parse_subfield(std::string_view text) {
  const std::string_view name = take_until(text, '[');
  const Field* f = find_field(name);
  if (!f) return std::nullopt;
  Subfield s = whole(f->id);
  if (text.empty() || text == "]") return s;
  if (!text.ends_with(']')) return std::nullopt;
  text.remove_suffix(1);
  const std::size_t dots = text.find("..");
  const auto first = parse_decimal(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : parse_decimal(text.substr(dots + 2));
  if (!first || !last || *last < *first || *last >= f->bits) return std::nullopt;
  s.first = static_cast<std::uint16_t>(*first);
  s.bits = static_cast<std::uint16_t>(*last - *first + 1);
  return s;
}

// "VALUE" or "VALUE/MASK" for the field; ct_state in words too.
std::optional<Written> parse_written(const Subfield& where, std::string_view text) {
  Written w{where, 0, ones(where.bits)};
  if (where.field == FieldId::ct_state) {
    if (const auto bits = parse_ct_state(text)) {
      w.value = bits->value;
      w.mask = bits->mask;
      return w;
    }
  }
  const std::size_t slash = text.find('/');
  const auto value = parse_value(text.substr(0, slash));
  if (!value) return std::nullopt;
  w.value = *value;
  if (slash == std::string_view::npos) return w;
  const auto mask = parse_value(text.substr(slash + 1));
  if (!mask) return std::nullopt;
  w.mask = *mask;
  return w;
}

// "load:VALUE->FIELD" and "set_field:VALUE->FIELD"
std::optional<Written> parse_write(std::string_view text) {
  if (!consume(text, "load:") && !consume(text, "set_field:")) return std::nullopt;
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  const auto where = parse_subfield(text.substr(arrow + 2));
  return where ? parse_written(*where, text.substr(0, arrow)) : std::nullopt;
}

// "FIELD=VALUE", also "FIELD[a..b]=VALUE"
std::optional<Written> parse_match(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto where = parse_subfield(trim(text.substr(0, equals)));
  return where ? parse_written(*where, trim(text.substr(equals + 1))) : std::nullopt;
}

// ---- values that stand alone

std::string table_text(const TableUse& use) {
  const bool router = use.name.starts_with("lr_"), in = use.name.find("_in_") != std::string::npos;
  if (use.stage < 0) return fmt::format("{} in OVN {}", use.name, use.releases);
  return fmt::format("{} ({} {}, stage {}) in OVN {}", use.name, router ? "router" : "switch", in ? "ingress" : "egress",
                     use.stage, use.releases);
}

void add_tables(unsigned table, const DecodeOptions& options, Meanings& out) {
  for (const TableUse& use : uses_of_table(table, options)) out.add(std::string(kTableOfIntegrationBridge), table_text(use));
}

void add_stage(std::string_view name, const DecodeOptions& options, Meanings& out) {
  for (const TableUse& use : tables_of_name(name, options))
    out.add(std::string(kTableOfIntegrationBridge), fmt::format("table {}: {}", use.table, table_text(use)));
}

void add_cookie(std::uint64_t cookie, Meanings& out) {
  const std::string known = cookie_meaning(cookie);
  out.add("cookie", known);
  if (!known.empty() || cookie == 0 || cookie > 0xffffffffULL) return;
  out.add("cookie", row_of_cookie_meaning(cookie));
}

// Class 0x0102, type 0x80, one word of data: "0102800100030001", with or without blanks or colons.
bool add_geneve_option(std::string_view text, Meanings& out) {
  std::string digits;
  for (const char c : text)
    if (is_hex_digit(c))
      digits.push_back(c);
    else if (c != ' ' && c != ':')
      return false;
  if (digits.size() != 16 || !digits.starts_with("01028001")) return false;
  const auto data = parse_hex(std::string_view(digits).substr(8));
  out.add("Geneve option", "OVN (class 0x0102, type 0x80): " + tunnel_ports(static_cast<std::uint32_t>(*data)));
  return true;
}

bool is_uuid(std::string_view s) {
  if (s.size() != 36) return false;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (i == 8 || i == 13 || i == 18 || i == 23 ? s[i] != '-' : !is_hex_digit(s[i])) return false;
  return true;
}

void add_number(U128 value, bool is_hex, const DecodeOptions& options, Meanings& out) {
  if (value <= 0xffffffffU) {
    const auto n = static_cast<std::uint32_t>(value);
    out.add("packet mark", mark_meaning(n));
    if (is_plausible_address(value)) add_address(IpAddr::v4(n), out);
    if (!is_hex && n < 256) add_tables(n, options, out);
    if (is_hex && n > 0 && n <= 0xff) add_ct_state(n, 0xff, out);
    if (n > 0 && n < 64) out.add("connection mark", bridge_ct_mark_meaning(n));
    if (n >= 64000) out.add("conntrack zone", zone_meaning(n));
    out.add("tunnel key", tunnel_key_meaning(n));
    if (n >= 0x8000 && n <= 0x8004) out.add("multicast group", multicast_group_meaning(n));
    if (n > 0xffff && is_hex) add_cookie(n, out);
    if (n > 0xffff && is_hex) out.add("Geneve option", tunnel_ports(n));
    if (!is_hex)
      out.add("hexadecimal", fmt::format("{:#x}", n));
    else
      out.add("decimal", fmt::format("{}", n));
    return;
  }
  out.add("cookie", value <= ~std::uint64_t{0} ? cookie_meaning(low64(value)) : std::string());
  if (value <= 0xffffffffffffULL) {
    const MacAddr mac{low64(value)};
    out.add("MAC", mac.to_string());
    if (const auto address = address_of_mac(mac)) add_address(*address, out);
  }
  if (high64(value) != 0) {
    add_address(IpAddr::v6(value), out);
    add_bits(FieldId::ct_label, value, ones(128), out);
  }
}

void add_mac(const MacAddr& mac, Meanings& out) {
  if (const auto address = address_of_mac(mac)) {
    out.add("OVN-Kubernetes MAC", mac_of_address_meaning(*address));
    add_address(*address, out);
  }
  out.add("MAC", std::string(mac_kind(mac)));
}

void add_plain(std::string_view text, const DecodeOptions& options, Meanings& out) {
  if (add_geneve_option(text, out)) return;
  if (const auto number = parse_u128(text)) return add_number(*number, text.starts_with("0x"), options, out);
  if (const auto address = IpAddr::parse(text)) {
    if (address->is_v4()) out.add("hexadecimal", fmt::format("{:#x}", address->as_v4()));
    if (address->is_v4()) out.add("OVN-Kubernetes MAC", MacAddr{0x0a5800000000ULL | address->as_v4()}.to_string());
    return add_default_meanings(*address, out);
  }
  if (const auto prefix = Prefix::parse(text)) return add_prefix(*prefix, out);
  if (const auto mac = MacAddr::parse(text)) return add_mac(*mac, out);
  if (const auto bits = parse_ct_state(text)) return add_ct_state(bits->value, bits->mask, out);
  if (is_uuid(text)) {
    out.add("cookie", cookie_of_row_meaning(*parse_hex(text.substr(0, 8))));
    return;
  }
  if (text.size() == 8 && std::all_of(text.begin(), text.end(), is_hex_digit)) return add_cookie(*parse_hex(text), out);
  add_stage(text, options, out);
  if (out.empty())
    for (auto& [as, meaning] : name_meanings(text)) out.add(std::move(as), std::move(meaning));
}

// "table=25", "cookie=0x7d8c250c", "mark=0x3f0" and the like, which are no fields of a packet.
bool add_keyed(std::string_view text, const DecodeOptions& options, Meanings& out) {
  const std::size_t equals = text.find_first_of("= ");
  if (equals == std::string_view::npos) return false;
  const std::string_view key = text.substr(0, equals);
  std::string_view value_text = trim(text.substr(equals + 1));
  const auto value = parse_u64(value_text.substr(0, value_text.find('/')));
  if (!value) return false;
  if (key == "table" && *value < 256) return add_tables(static_cast<unsigned>(*value), options, out), true;
  if (key == "cookie") return add_cookie(*value, out), true;
  if (key == "zone") return out.add("conntrack zone", zone_meaning(static_cast<std::uint32_t>(*value))), true;
  if (key == "mark" || key == "fwmark" || key == "skb_mark")
    return out.add("packet mark", mark_meaning(static_cast<std::uint32_t>(*value))), true;
  return false;
}

void decode_one(std::string_view text, const DecodeOptions& options, Meanings& out) {
  text = trim(text);
  if (text.empty()) return;
  if (const auto written = parse_write(text)) return add_field(*written, out);
  if (const auto matched = parse_match(text)) return add_field(*matched, out);
  if (add_keyed(text, options, out)) return;
  add_plain(text, options, out);
}

}  // namespace

std::vector<Meaning> decode_value(std::string_view text, const DecodeOptions& options) {
  Meanings out;
  constexpr std::size_t kLongest = 4096;
  if (text.size() > kLongest) return {};
  if (parse_ct_state(trim(text))) {
    decode_one(text, options, out);
  } else {
    for (const std::string_view part : split_outside(text, ',')) decode_one(part, options, out);
  }
  return out.take();
}

}  // namespace egt::explain
