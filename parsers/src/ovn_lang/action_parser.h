// Actions: text → typed list (lib/actions.c of OVN). What holds actions itself is here, single actions are in action_words.h.
#pragma once

#include <string_view>

#include "ovn_lang/action_operands.h"

namespace egt::parsers::ovn_lang {

class ActionParser {
 public:
  explicit ActionParser(ActionOperands& in) : in_(in) {}

  void parse_all(ovn::ActionList& out) { parse_list(out, TokenType::end); }

 private:
  void parse_list(ovn::ActionList& out, TokenType sentinel);
  bool parse_action(ovn::ActionList& out);
  bool parse_word(std::string_view word, ovn::ActionList& out);
  bool parse_nested_word(std::string_view word, ovn::ActionList& out);
  void parse_block(ovn::ActionList& out, std::string_view prerequisite, std::uint8_t scope);
  void parse_commit(ovn::ActionList& out);

  ActionOperands& in_;
  unsigned depth_ = 0;
};

}  // namespace egt::parsers::ovn_lang
