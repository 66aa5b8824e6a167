// The actions of OVN by what they are about (lib/actions.c of OVN). One function an action; those here choose among them.
#pragma once

#include <string_view>

#include "ovn_lang/action_operands.h"

namespace egt::parsers::ovn_lang {

// False where the word is none of theirs; it is not consumed then.
bool parse_ct_word(ActionOperands& in, std::string_view word, ovn::ActionList& out);
bool parse_with_arguments(ActionOperands& in, std::string_view word, ovn::ActionList& out);

void parse_assignment(ActionOperands& in, ovn::ActionList& out);
void parse_push_pop(ActionOperands& in, bool push, ovn::ActionList& out);
void parse_put_options(ActionOperands& in, const ovn::FieldRef& to, ovn::PutOptions::Kind kind, ovn::ActionList& out);
void parse_trigger_event(ActionOperands& in, ovn::ActionList& out);
// ct_commit but for its block.
void parse_ct_commit(ActionOperands& in, ovn::CtCommit& commit);

}  // namespace egt::parsers::ovn_lang
