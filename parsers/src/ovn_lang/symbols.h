// The names that matches and actions may use (ovn_init_symtab() in lib/logical-fields.c of OVN).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/ovn/expression.h"
#include "egtrace/parsers/ovn_lang.h"

namespace egt::parsers::ovn_lang {

class SymbolTable {
 public:
  SymbolTable() = default;
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  const ovn::Symbol* find(std::string_view name) const;

  ovn::Symbol& add_field(std::string name, FieldId field, std::string prerequisites = {},
                         std::uint8_t scope = ovn::writable::by_default);
  // `expansion` names bits of a symbol that is there already: "vlan.tci[0..11]".
  void add_part(std::string name, std::string prerequisites, std::string_view expansion,
                std::uint8_t scope = ovn::writable::by_default);
  void add_string(std::string name, FieldId field, std::string prerequisites = {});
  void add_predicate(std::string name, std::string expansion);
  void add_ovn_field(std::string name, std::uint16_t bits);
  // Understands the texts of predicates and prerequisites. To be called once all symbols are there.
  void finish();

 private:
  ovn::Symbol& add(std::string name, std::uint16_t bits, ovn::Level level, std::uint8_t writable_in, std::string prerequisites);

  std::deque<ovn::Symbol> symbols_;
  std::unordered_map<std::string_view, ovn::Symbol*> by_name_;
};

// All symbols of a release.
void add_symbols(SymbolTable& table, const Dialect& dialect);

}  // namespace egt::parsers::ovn_lang
