#include "ovs_ofctl/quick_terms.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/match_text.h"

namespace egt::parsers::ofctl {
namespace {

constexpr bool is_end(char c) { return c == ',' || c == ' '; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// --- statistics --------------------------------------------------------------------------------------------------------

template <std::size_t n>
bool skip(const char*& at, const char (&word)[n]) {
  if (std::memcmp(at, word, n - 1) != 0) return false;
  at += n - 1;
  return true;
}

// How many of the next 16 characters are digits, up to the first that is none.
template <bool hexadecimal>
std::size_t digits_at(const char* at) {
#if defined(__SSE2__)
  const auto among = [](__m128i text, char first, char last) {
    const __m128i from_first = _mm_sub_epi8(text, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(static_cast<char>(last - first))), from_first);
  };
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  __m128i found = among(text, '0', '9');
  if constexpr (hexadecimal) found = _mm_or_si128(found, among(text, 'a', 'f'));
  return static_cast<std::size_t>(std::countr_one(static_cast<unsigned>(_mm_movemask_epi8(found))));
#else
  std::size_t n = 0;
  while (n < 16 && (hexadecimal ? hex_value(at[n]) >= 0 : at[n] >= '0' && at[n] <= '9')) ++n;
  return n;
#endif
}

// Past a number without leading zeros; null where there is none of at most 15 digits (16 hexadecimal ones).
template <bool hexadecimal = false>
const char* past_number(const char* at) {
  const std::size_t n = digits_at<hexadecimal>(at);
  const bool plain = n == 1 || (n > 1 && *at != '0' && (hexadecimal || n < 16));
  return plain && (!hexadecimal || n < 16 || hex_value(at[16]) < 0) ? at + n : nullptr;
}

const char* past_comma(const char* at) { return at && at[0] == ',' && at[1] == ' ' ? at + 2 : nullptr; }

// "6.602s": the decimals are kept as they are.
const char* past_duration(const char* at) {
  at = past_number(at);
  if (at && *at == '.') {
    const std::size_t n = digits_at<false>(++at);
    at = n >= 1 && n <= 9 ? at + n : nullptr;
  }
  return at && *at == 's' ? at + 1 : nullptr;
}

// One statistic; `at` itself where there is none.
const char* past_statistic(const char* at, std::uint64_t& table) {
  const char* p = at;
  switch (*at) {
    case 'c':
      if (skip(p, "cookie=0x")) return past_comma(past_number<true>(p));
      break;
    case 'd':
      if (skip(p, "duration=")) return past_comma(past_duration(p));
      break;
    case 't':
      if (skip(p, "table=")) {
        const QuickNumber n = quick_decimal(p, p + 16);
        table = n.value;
        return past_comma(n.behind);
      }
      break;
    case 'n':
      if (skip(p, "n_packets=") || skip(p, "n_bytes=")) return past_comma(past_number(p));
      break;
    case 'i':
      if (skip(p, "idle_age=") || skip(p, "idle_timeout=") || skip(p, "importance=")) return past_comma(past_number(p));
      break;
    case 'h':
      if (skip(p, "hard_age=") || skip(p, "hard_timeout=")) return past_comma(past_number(p));
      break;
    case 's':
      if (skip(p, "send_flow_rem ")) return p;
      break;
    case 'r':
      if (skip(p, "reset_counts ")) return p;
      break;
    default: break;
  }
  return at;
}

// --- the table of names ------------------------------------------------------------------------------------------------

std::array<std::uint64_t, 2> name_bytes(const char* at, std::size_t length) {
  std::array<std::uint64_t, 2> all{};
  std::memcpy(all.data(), at, 16);
  if constexpr (std::endian::native == std::endian::little) {
    const auto low = [](std::size_t n) { return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1; };
    all[0] &= low(length);
    all[1] &= length > 8 ? low(length - 8) : 0;
  } else {
    all = {};
    std::memcpy(all.data(), at, length);
  }
  return all;
}

class QuickTable {
 public:
  QuickTable() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(FieldId::count_); ++i) {
      const Field& f = field(static_cast<FieldId>(i));
      for (const std::string_view name : {f.name, f.alias, f.set_name}) add_field(name);
    }
    for (const char* word : {"ip", "ipv6", "icmp", "icmp6", "igmp", "tcp", "tcp6", "udp", "udp6", "sctp", "sctp6", "arp", "rarp",
                             "mpls", "mplsm", "nsh"})
      add_protocol(word);
  }

  const QuickField* find(const std::array<std::uint64_t, 2>& name) const {
    for (std::size_t i = place_of(name);; i = (i + 1) % kPlaces) {
      if (!places_[i].used) return nullptr;
      if (places_[i].name[0] == name[0] && places_[i].name[1] == name[1]) return &places_[i];
    }
  }

 private:
  static constexpr std::size_t kPlaces = 1024;

  static std::size_t place_of(const std::array<std::uint64_t, 2>& name) {
    const std::uint64_t h = (name[0] ^ std::rotl(name[1], 29)) * 0x9e3779b97f4a7c15ULL;
    return h >> 54;
  }

  static std::array<std::uint64_t, 2> bytes_of(std::string_view name) {
    std::array<char, kLongestQuickName> padded{};
    std::memcpy(padded.data(), name.data(), name.size());
    return name_bytes(padded.data(), name.size());
  }

  void put(std::string_view name, QuickField f) {
    f.name = bytes_of(name);
    f.used = true;
    std::size_t i = place_of(f.name);
    while (places_[i].used && places_[i].name != f.name) i = (i + 1) % kPlaces;
    places_[i] = f;
  }

  // Fields whose bits mean more than their value are left to the tree.
  static bool is_plain(FieldId id) {
    switch (id) {
      case FieldId::dl_vlan:
      case FieldId::icmp_type:
      case FieldId::icmp_code:
      case FieldId::icmpv6_type:
      case FieldId::icmpv6_code:
      case FieldId::vlan_vid:
      case FieldId::dl_vlan_pcp:
      case FieldId::vlan_pcp:
      case FieldId::nw_tos:
      case FieldId::tun_tos:
      case FieldId::arp_op: return false;
      default: return openflow::beyond_field(id) == 0 && !value_is_mask(id);
    }
  }

  void add_field(std::string_view name) {
    if (name.empty() || name.size() > kLongestQuickName) return;
    const KeyInfo& info = key_info(name);
    if (info.kind != KeyInfo::Kind::field || !is_plain(info.field)) return;
    const Field& f = field(info.field);
    if (f.bits > 64) return;
    QuickField q;
    switch (f.format) {
      case FieldFormat::decimal:
      case FieldFormat::hexadecimal: q.form = QuickField::Form::integer; break;
      case FieldFormat::ethernet: q.form = QuickField::Form::ethernet; break;
      case FieldFormat::ipv4: q.form = QuickField::Form::ipv4; break;
      case FieldFormat::of10_port: q.form = QuickField::Form::port; break;
      default: return;
    }
    q.words = 1;
    q.word[0] = f.word;
    q.shift = f.shift;
    q.bits = static_cast<std::uint8_t>(f.bits);
    q.maskable = f.maskable;
    put(name, q);
  }

  void add_protocol(std::string_view name) {
    const KeyInfo& info = key_info(name);
    if (info.kind != KeyInfo::Kind::protocol) return;
    WordSet words;
    MatchItem item;
    item.name = name;
    if (add_item(item, words, {}) != Added::yes) return;
    QuickField q;
    q.form = QuickField::Form::protocol;
    for (const openflow::MatchWord& w : words.view()) {
      q.word[q.words] = w.word;
      q.value[q.words] = w.value;
      q.mask[q.words++] = w.mask;
    }
    put(name, q);
  }

  std::vector<QuickField> places_ = std::vector<QuickField>(kPlaces);
};

// --- values ------------------------------------------------------------------------------------------------------------

constexpr std::uint64_t ones_of(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

QuickNumber integer(const char* at, const char* end) {
  return end - at > 2 && at[0] == '0' && at[1] == 'x' ? quick_hex(at + 2, end) : quick_decimal(at, end);
}

QuickNumber ipv4(const char* at, const char* end) {
  std::uint64_t v = 0;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0 && (at == end || *at++ != '.')) return {};
    unsigned n = 0;
    const char* from = at;
    while (at != end && *at >= '0' && *at <= '9' && at - from < 4) n = n * 10 + static_cast<unsigned>(*at++ - '0');
    if (at == from || n > 255 || (*from == '0' && at - from > 1)) return {};
    v = v << 8 | n;
  }
  return {v, at};
}

QuickNumber ethernet(const char* at, const char* end) {
  if (end - at < 17) return {};
  std::uint64_t v = 0;
  for (int i = 0; i < 17; ++i) {
    if (i % 3 == 2) {
      if (at[i] != ':') return {};
      continue;
    }
    const int digit = hex_value(at[i]);
    if (digit < 0) return {};
    v = v << 4 | static_cast<unsigned>(digit);
  }
  return {v, at + 17};
}

// "24" behind the '/', or "255.0.255.0".
QuickNumber ipv4_mask(const char* at, const char* end) {
  const QuickNumber length = quick_decimal(at, end);
  if (!length.behind || length.behind == end || *length.behind == '.') return ipv4(at, end);
  if (length.value > 32) return {};
  return {ones_of(32) ^ ones_of(static_cast<unsigned>(32 - length.value)), length.behind};
}

}  // namespace

QuickNumber quick_decimal(const char* at, const char* end) {
  const char* from = at;
  std::uint64_t v = 0;
  while (at != end && *at >= '0' && *at <= '9') v = v * 10 + static_cast<unsigned>(*at++ - '0');
  const auto digits = at - from;
  if (digits == 0 || digits > 19 || (*from == '0' && digits > 1)) return {};
  return {v, at};
}

QuickNumber quick_hex(const char* at, const char* end) {
  const char* from = at;
  std::uint64_t v = 0;
  for (int digit = 0; at != end && (digit = hex_value(*at)) >= 0; ++at) v = v << 4 | static_cast<unsigned>(digit);
  const auto digits = at - from;
  if (digits == 0 || digits > 16 || (*from == '0' && digits > 1)) return {};
  return {v, at};
}

const char* quick_statistics(const char* at, std::uint64_t& table) {
  const char* behind = past_statistic(at, table);
  while (behind != at && behind != nullptr) {
    at = behind;
    behind = past_statistic(at, table);
  }
  return behind;
}

std::size_t name_length(const char* at) {
#if defined(__SSE2__)
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i equals = _mm_cmpeq_epi8(text, _mm_set1_epi8('=')), comma = _mm_cmpeq_epi8(text, _mm_set1_epi8(',')),
                blank = _mm_cmpeq_epi8(text, _mm_set1_epi8(' '));
  const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(equals, comma), blank)));
  if (found != 0) return static_cast<std::size_t>(std::countr_zero(found));
  return at[16] == '=' || is_end(at[16]) ? 16 : kLongestQuickName + 1;
#else
  std::size_t n = 0;
  while (n <= kLongestQuickName && at[n] != '=' && !is_end(at[n])) ++n;
  return n;
#endif
}

const QuickField* quick_field(const char* name, std::size_t length) {
  static const QuickTable table;
  if (length == 0 || name[length - 1] == '\0') return nullptr;  // as name_bytes() ends shorter names
  return table.find(name_bytes(name, length));
}

bool quick_value(const QuickField& f, const char* at, const char* end, QuickValue& out) {
  using Form = QuickField::Form;
  QuickNumber n = f.form == Form::ipv4 ? ipv4(at, end) : f.form == Form::ethernet ? ethernet(at, end) : integer(at, end);
  out.value = n.value;
  out.mask = ones_of(f.bits);
  if (!n.behind || n.behind == end || (n.value & ~out.mask) != 0) return false;
  if (f.form == Form::port && (n.value >= 0xff00 || !is_end(*n.behind))) return false;
  if (*n.behind == '/') {
    if (!f.maskable) return false;
    n = f.form == Form::ipv4       ? ipv4_mask(n.behind + 1, end)
        : f.form == Form::ethernet ? ethernet(n.behind + 1, end)
                                   : integer(n.behind + 1, end);
    if (!n.behind || n.behind == end || (n.value & ~ones_of(f.bits)) != 0) return false;
    out.mask = n.value;
  }
  out.value &= out.mask;
  out.behind = n.behind;
  return is_end(*n.behind);
}

bool read_term(std::string_view text, QuickTerm& out) {
  FlowLine line;
  TextError error;
  std::string all(text);
  all += " actions=drop";
  if (!read_flow_line(all, line, error) || line.match.size() != 1 || !line.stats.empty() || line.priority) return false;
  const MatchItem& item = line.match.front();
  if (item.form == ValueForm::name) return false;
  std::string printed;
  write_match_item(item, printed);
  WordSet words;
  if (printed != text || add_item(item, words, {}) != Added::yes) return false;
  const openflow::MatchView view = words.view();
  out.words.assign(view.begin(), view.end());
  return true;
}

}  // namespace egt::parsers::ofctl
