#include "ovs_ofctl/match_terms.h"

#include <optional>

#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {

MatchTerms::MatchTerms(openflow::MatchView match) {
  for (const openflow::MatchWord& w : match) {
    values_.set_word(w.word, w.value);
    masks_.set_word(w.word, w.mask);
  }
}

std::string MatchTerms::take() {
  if (!out_.empty()) out_.pop_back();
  return std::move(out_);
}

bool MatchTerms::exact(FieldId f) const {
  return mask(f) == ones(field(f).bits) && (~masks_.word(field(f).word) & openflow::beyond_field(f)) == 0;
}

void MatchTerms::word(std::string_view w, std::string_view suffix) { ((out_ += w) += suffix) += ','; }

void MatchTerms::text(std::string_view name, std::string_view value) {
  begin(name);
  (out_ += value) += ',';
}

void MatchTerms::number(std::string_view name, std::uint64_t v) {
  begin(name);
  write_decimal(v, out_);
  out_ += ',';
}

void MatchTerms::padded(std::string_view name, U128 v, unsigned width) {
  begin(name);
  write_padded_hex(v, width, out_);
  out_ += ',';
}

void MatchTerms::padded(std::string_view name, U128 v, U128 mask, unsigned width) {
  begin(name);
  write_padded_hex(v, width, out_);
  out_ += '/';
  write_padded_hex(mask, width, out_);
  out_ += ',';
}

void MatchTerms::hex(std::string_view name, FieldId f) {
  if (mask(f) == 0) return;
  begin(name);
  write_hex(value(f), out_);
  if (!exact(f)) {
    out_ += '/';
    write_hex(mask(f), out_);
  }
  out_ += ',';
}

void MatchTerms::decimal(std::string_view name, FieldId f) {
  if (mask(f) == 0) return;
  if (exact(f)) return plain_decimal(name, f);
  padded(name, value(f), mask(f), 1);
}

void MatchTerms::plain_decimal(std::string_view name, FieldId f) {
  if (mask(f) != 0) number(name, low64(value(f)));
}

void MatchTerms::plain_hex(std::string_view name, FieldId f) {
  if (mask(f) == 0) return;
  begin(name);
  write_hex(value(f), out_);
  out_ += ',';
}

void MatchTerms::padded(std::string_view name, FieldId f, unsigned width) {
  if (mask(f) == 0) return;
  if (exact(f)) return padded(name, value(f), width);
  padded(name, value(f), mask(f), width);
}

void MatchTerms::decimal_or_padded(std::string_view name, FieldId f, unsigned width) {
  if (mask(f) == 0 || exact(f)) return plain_decimal(name, f);
  padded(name, value(f), mask(f), width);
}

void MatchTerms::field_form(std::string_view name, FieldId f) {
  if (mask(f) == 0) return;
  begin(name);
  write_field_value(field(f), value(f), exact(f) ? std::nullopt : std::optional<U128>(mask(f)), out_);
  out_ += ',';
}

void MatchTerms::port(std::string_view name, FieldId f) {
  if (mask(f) == 0) return;
  begin(name);
  write_port_number(static_cast<std::uint32_t>(value(f)), out_);
  out_ += ',';
}

void MatchTerms::flags(std::string_view name, FieldId f, U128 all) {
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

}  // namespace egt::parsers::ofctl
