#include "egtrace/openflow/match.h"

#include <algorithm>

namespace egt::openflow {
namespace {

constexpr U128 kVlanPresent = 0x1000;
constexpr U128 kDscpBits = 0xfc;

std::uint64_t mask_in(MatchView m, std::size_t word) {
  const auto it = std::find_if(m.begin(), m.end(), [&](const MatchWord& w) { return w.word == word; });
  return it == m.end() ? 0 : it->mask;
}

std::uint64_t value_in(MatchView m, std::size_t word) {
  const auto it = std::find_if(m.begin(), m.end(), [&](const MatchWord& w) { return w.word == word; });
  return it == m.end() ? 0 : it->value;
}

// vlan_vid holds "a tag is present" above its twelve bits.
unsigned stored_bits(const Field& f) { return f.id == FieldId::vlan_vid ? 13 : f.bits; }

U128 read(MatchView m, const Field& f, std::uint64_t (*of)(MatchView, std::size_t)) {
  if (f.bits > 64) return make_u128(of(m, f.word), of(m, f.word + std::size_t{1}));
  return (static_cast<U128>(of(m, f.word)) >> f.shift) & ones(stored_bits(f));
}

void require_word(std::vector<MatchWord>& words, std::size_t word, std::uint64_t value, std::uint64_t mask) {
  if (mask == 0) return;
  auto it = std::lower_bound(words.begin(), words.end(), word, [](const MatchWord& w, std::size_t i) { return w.word < i; });
  if (it == words.end() || it->word != word) it = words.insert(it, {static_cast<std::uint8_t>(word), 0, 0});
  it->value = (it->value & ~mask) | (value & mask);
  it->mask |= mask;
}

void require_bits(std::vector<MatchWord>& words, const Field& f, U128 value, U128 mask) {
  if (f.bits > 64) {
    require_word(words, f.word, high64(value), high64(mask));
    require_word(words, f.word + std::size_t{1}, low64(value), low64(mask));
  } else {
    mask &= ones(stored_bits(f));
    require_word(words, f.word, low64(value & mask) << f.shift, low64(mask) << f.shift);
  }
}

}  // namespace

U128 mask_of(MatchView m, FieldId id) {
  const Field& f = field(id);
  const U128 mask = read(m, f, mask_in);
  if (id != FieldId::nw_tos) return mask;
  return (mask & kDscpBits) == kDscpBits ? ones(8) : mask & kDscpBits;
}

U128 value_of(MatchView m, FieldId id) {
  const U128 value = read(m, field(id), value_in);
  return id == FieldId::nw_tos ? value & kDscpBits : value;
}

void Match::require(FieldId id, U128 value) {
  if (id == FieldId::dl_vlan && value == 0xffff) return require(FieldId::vlan_tci, 0, 0xffff);  // "no tag"
  require(id, value, ones(stored_bits(field(id))));
}

void Match::require(FieldId id, U128 value, U128 mask) {
  if (id == FieldId::nw_tos) mask &= kDscpBits;
  if (id == FieldId::in_port_oxm) {  // reserved ports have 16 bits in the key
    id = FieldId::in_port;
    value &= 0xffff;
    mask &= 0xffff;
  }
  require_bits(words_, field(id), value, mask);
  const bool needs_tag = id == FieldId::dl_vlan || id == FieldId::dl_vlan_pcp || id == FieldId::vlan_pcp;
  if (needs_tag && mask != 0) require_bits(words_, field(FieldId::vlan_tci), kVlanPresent, kVlanPresent);
}

void Match::require(const MatchWord& w) { require_word(words_, w.word, w.value, w.mask); }

void Match::require(const Subfield& s, U128 value) {
  const Field& f = field(s.field);
  if (s.first == 0 && s.bits >= f.bits) return require(s.field, value);
  if (s.first >= f.bits) return;
  const U128 mask = ones(std::min<unsigned>(s.bits, f.bits - s.first));
  require(s.field, (value & mask) << s.first, mask << s.first);
}

}  // namespace egt::openflow
