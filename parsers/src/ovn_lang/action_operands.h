// What actions are made of: fields with their prerequisites, and values. The lexer keeps the first error, so what reads an action goes
// on with what it has and the caller looks once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/expression_parser.h"
#include "ovn_lang/lexer.h"

namespace egt::parsers::ovn_lang {

class ActionOperands {
 public:
  ActionOperands(Lexer& text, const SymbolTable& symbols, const ActionContext& place)
      : lexer(text), context(place), environment_{&symbols, nullptr, nullptr, 0}, fields_(text, environment_) {}

  std::optional<ovn::FieldRef> parse_target();  // a field that may be assigned to, with its prerequisites
  // A field of this width; 0 is a string.
  ovn::FieldRef parse_field_of(unsigned bits);
  bool check_field(const ovn::FieldRef& f, unsigned bits, bool to_write);
  std::optional<ConstantList> parse_constants() { return fields_.parse_constants(); }
  std::optional<ovn::Constant> parse_constant_for(const ovn::FieldRef& f) { return fields_.parse_constant_for(f); }
  bool parse_u16(std::uint16_t& value, std::string_view what);
  bool parse_bool(bool& value);
  bool force_parameter(std::string_view name);  // NAME =

  void add_prerequisite(std::string_view symbol);
  void add_prerequisite(ovn::Expression e);
  std::optional<ovn::Expression> take_prerequisites() { return std::exchange(prerequisites_, std::nullopt); }
  // Which fields may be written (ovn::writable).
  std::uint8_t scope() const { return scope_; }
  void set_scope(std::uint8_t scope) { scope_ = scope; }

  bool not_in_last_table(std::string_view name);
  std::uint16_t table_after() const { return static_cast<std::uint16_t>(context.table + 1); }
  std::uint16_t tables(ovn::Pipeline p) const {
    return p == ovn::Pipeline::ingress ? context.dialect.ingress_tables : context.dialect.egress_tables;
  }

  Lexer& lexer;
  const ActionContext& context;

 private:
  Environment environment_;
  ExpressionParser fields_;
  std::optional<ovn::Expression> prerequisites_;
  std::uint8_t scope_ = ovn::writable::by_default;
};

}  // namespace egt::parsers::ovn_lang
