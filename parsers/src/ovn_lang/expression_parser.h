// Matches: text → tree (expr_parse() in lib/expr.c of OVN). A recursive descent of bounded depth.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/lexer.h"
#include "ovn_lang/symbols.h"

namespace egt::parsers::ovn_lang {

// One or several constants as parsed: alone, in braces, from sets.
struct ConstantList {
  using Part = std::variant<ovn::Constant, std::shared_ptr<const ovn::ValueSet>>;
  bool strings = false;
  bool in_curlies = false;
  std::vector<Part> parts;

  bool has_values() const;
  const ovn::Constant* first() const;
};

class ExpressionParser {
 public:
  ExpressionParser(Lexer& lexer, const Environment& environment) : lexer_(lexer), environment_(environment) {}

  // Each returns nothing exactly where the lexer has an error.
  std::optional<ovn::Expression> parse();
  std::optional<ovn::FieldRef> parse_field();
  std::optional<ConstantList> parse_constants();
  std::optional<ovn::Constant> parse_constant_for(const ovn::FieldRef& field);

 private:
  std::optional<ovn::Expression> parse_not();
  std::optional<ovn::Expression> parse_primary(bool& atomic);
  std::optional<ovn::Expression> parse_parenthesised();
  std::optional<ovn::Expression> parse_resident();
  std::optional<ovn::Expression> parse_field_first(bool& atomic);
  std::optional<ovn::Expression> parse_bare_field(const ovn::FieldRef& field);
  std::optional<ovn::Expression> parse_constant_first(bool& atomic);
  std::optional<ovn::Expression> parse_range(const ovn::FieldRef& field, ovn::Relop first, const ConstantList& constants);
  bool parse_one_constant(ConstantList& list);
  bool append_set(ConstantList& list, const ValueSets* sets, std::string_view name, bool strings, std::string_view what);
  bool set_type(ConstantList& list, bool strings);
  std::optional<ovn::Relop> parse_relop();

  bool check_types(const ovn::FieldRef& field, const ConstantList& list);
  bool check_width(const ovn::FieldRef& field, unsigned width);
  bool check_relop(const ovn::FieldRef& field, ovn::Relop relop, const ConstantList& list);
  bool check_nominal(const ovn::FieldRef& field, ovn::Relop relop, const ConstantList& list);
  std::optional<ovn::Expression> compare(const ovn::FieldRef& field, ovn::Relop relop, const ConstantList& list);

  std::nullopt_t fail(std::string message) {
    lexer_.error(std::move(message));
    return std::nullopt;
  }

  Lexer& lexer_;
  const Environment& environment_;
  bool inverted_ = false;  // inside an odd number of `!`
  unsigned depth_ = 0;
};

}  // namespace egt::parsers::ovn_lang
