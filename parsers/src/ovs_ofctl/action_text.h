// Reading action lists: what the single files of it share. One function an action.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/openflow/action.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers::ofctl {

// One action of a list, cut into its parts.
struct Piece {
  enum class Style : std::uint8_t { bare, colon, parens };
  std::string_view text;  // the whole action
  std::string_view name;
  std::string_view args;  // behind ':' or between the parentheses
  std::string_view tail;  // behind the closing parenthesis ("->reg0[1]")
  Style style = Style::bare;
};
// Cuts an action, or what stands in one like it, into its parts.
bool cut_piece(std::string_view text, Piece& out);

// The text of a list, with what is not understood of it. All are false where something is not.
class ActionText {
 public:
  // `whole` is the text that columns are counted in.
  ActionText(std::string_view whole, std::vector<TextError>* errors) : whole_(whole), errors_(errors) {}

  std::string_view whole() const { return whole_; }
  bool fail(std::string message, std::string_view at);
  bool number(std::string_view text, std::uint64_t most, std::uint64_t& out);
  bool subfield(std::string_view text, Subfield& out);
  // Where multipath, bundle_load and learn write: the wire form of these has no room for the names of experimenters.
  bool destination(std::string_view text, Subfield& out);

 private:
  std::string_view whole_;
  std::vector<TextError>* errors_;
};

bool has_short_name(FieldId f);

// False when something became Opaque.
bool read_action_list(ActionText& in, std::string_view text, openflow::ActionList& out, int depth);

bool read_ct(ActionText& in, const Piece& p, openflow::ActionList& out, int depth);
bool read_encap(ActionText& in, const Piece& p, openflow::ActionList& out, int depth);
bool read_decap(ActionText& in, const Piece& p, openflow::ActionList& out, int depth);
bool read_sample(ActionText& in, const Piece& p, openflow::ActionList& out, int depth);
bool read_learn(ActionText& in, const Piece& p, openflow::ActionList& out, int depth);

}  // namespace egt::parsers::ofctl
