// Puts into a match what its symbols stand for and ask for (expr_annotate() in lib/expr.c of OVN).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ovn_lang/symbols.h"

namespace egt::parsers::ovn_lang {

class Annotator {
 public:
  // With `table` the texts of symbols are understood anew, and symbols that need themselves are found; without, the trees
  // that SymbolTable::finish() left are used.
  explicit Annotator(const SymbolTable* table = nullptr) : table_(table) {}

  bool annotate(ovn::Expression& e) { return annotate(e, true); }
  const std::string& error() const { return error_; }
  // The text of a predicate or prerequisite as a tree; nothing on error.
  std::optional<ovn::Expression> parse_and_annotate(const std::string& text);
  // The same, where the text is that of this symbol.
  std::optional<ovn::Expression> parse_within(const ovn::Symbol& symbol, const std::string& text);

 private:
  bool annotate(ovn::Expression& e, bool with_prerequisites);
  bool annotate_leaf(ovn::Expression& e, const ovn::Symbol& symbol, bool with_prerequisites);
  bool annotate_junction(ovn::Expression& e, bool with_prerequisites);
  bool append_prerequisites(ovn::Expression& e, const ovn::Symbol& symbol);
  std::optional<ovn::Expression> prerequisite(const ovn::Symbol& symbol);
  std::optional<ovn::Expression> predicate(const ovn::Symbol& symbol);

  const SymbolTable* table_;
  std::vector<const ovn::Symbol*> nesting_;
  std::string error_;
};

}  // namespace egt::parsers::ovn_lang
