// The single terms of a match as lib/match.c of Open vSwitch prints them, each with a comma behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/openflow/match.h"
#include "egtrace/packet/flow_key.h"

namespace egt::parsers::ofctl {

class MatchTerms {
 public:
  explicit MatchTerms(openflow::MatchView match);

  const FlowKey& values() const { return values_; }
  const FlowKey& masks() const { return masks_; }
  U128 value(FieldId f) const { return values_.get(f); }
  U128 mask(FieldId f) const { return masks_.get(f); }
  bool exact(FieldId f) const;  // the match looks at all of its bits

  // The forms of fields write nothing where the match does not look at the field.
  void hex(std::string_view name, FieldId f);            // 0x5, 0 or 0x5/0xf
  void decimal(std::string_view name, FieldId f);        // 80, or in hexadecimal with a mask, where zero is 0x0
  void plain_decimal(std::string_view name, FieldId f);  // 80, whatever the mask
  void plain_hex(std::string_view name, FieldId f);      // 0x5 or 0, whatever the mask
  // At least so many digits, with a mask where it has one: 0x00005, 0x00005/0x000ff.
  void padded(std::string_view name, FieldId f, unsigned width);
  void decimal_or_padded(std::string_view name, FieldId f, unsigned width);  // 5, or 0x05/0x0f
  void field_form(std::string_view name, FieldId f);                         // as the field itself is written: addresses
  void port(std::string_view name, FieldId f);
  void flags(std::string_view name, FieldId f, U128 all);

  void word(std::string_view w, std::string_view suffix = {});
  void text(std::string_view name, std::string_view value);
  void number(std::string_view name, std::uint64_t v);
  void padded(std::string_view name, U128 v, unsigned width);
  void padded(std::string_view name, U128 v, U128 mask, unsigned width);

  // Without the comma behind the last one.
  std::string take();

 private:
  void begin(std::string_view name) { (out_ += name) += '='; }

  FlowKey values_, masks_;
  std::string out_;
};

}  // namespace egt::parsers::ofctl
