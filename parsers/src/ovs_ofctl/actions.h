// Reading action lists: what the single files of it share.
#pragma once

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

// As deep as Open vSwitch nests actions (MAX_OFPACT_PARSE_DEPTH of lib/ofp-actions.c).
constexpr int kMaxActionDepth = 100;

class ActionReader {
 public:
  // `whole` is the text that columns are counted in.
  ActionReader(std::string_view whole, std::vector<TextError>* errors) : whole_(whole), errors_(errors) {}

  // False when something became Opaque.
  bool list(std::string_view text, openflow::ActionList& out, int depth);

 private:
  using Reader = bool (ActionReader::*)(const Piece&, openflow::ActionList&, int depth);
  static Reader reader_of(std::string_view name);

  bool one(std::string_view text, openflow::ActionList& out, int depth);
  bool fail(std::string message, std::string_view at);
  bool number(std::string_view text, std::uint64_t most, std::uint64_t& out);
  bool subfield(std::string_view text, Subfield& out);
  static bool has_short_name(FieldId f);
  bool destination(std::string_view text, Subfield& out);

  bool output(const Piece& p, openflow::ActionList& out, int depth);
  bool reserved_output(const Piece& p, openflow::ActionList& out);
  bool output_truncated(const Piece& p, openflow::ActionList& out);
  bool controller(const Piece& p, openflow::ActionList& out, int depth);
  bool enqueue(const Piece& p, openflow::ActionList& out, int depth);
  bool bundle(const Piece& p, openflow::ActionList& out, int depth);
  bool load(const Piece& p, openflow::ActionList& out, int depth);
  bool set_field(const Piece& p, openflow::ActionList& out, int depth);
  bool modify(const Piece& p, openflow::ActionList& out, int depth);
  bool move(const Piece& p, openflow::ActionList& out, int depth);
  bool stack(const Piece& p, openflow::ActionList& out, int depth);
  bool dec_ttl(const Piece& p, openflow::ActionList& out, int depth);
  bool word(const Piece& p, openflow::ActionList& out, int depth);        // actions without arguments
  bool one_number(const Piece& p, openflow::ActionList& out, int depth);  // actions with one number
  bool set_mpls(const Piece& p, openflow::ActionList& out, int depth);
  bool encap(const Piece& p, openflow::ActionList& out, int depth);
  bool encap_property(std::string_view term);
  bool decap(const Piece& p, openflow::ActionList& out, int depth);
  bool sample(const Piece& p, openflow::ActionList& out, int depth);
  bool sample_argument(std::string_view key, std::string_view value, std::string_view whole);
  bool fin_timeout(const Piece& p, openflow::ActionList& out, int depth);
  bool resubmit(const Piece& p, openflow::ActionList& out, int depth);
  bool learn(const Piece& p, openflow::ActionList& out, int depth);
  bool learn_option(std::string_view key, std::string_view value, openflow::Learn& learn);
  bool learn_spec(std::string_view term, openflow::Learn& learn);
  bool conjunction(const Piece& p, openflow::ActionList& out, int depth);
  bool multipath(const Piece& p, openflow::ActionList& out, int depth);
  bool note(const Piece& p, openflow::ActionList& out, int depth);
  bool clone(const Piece& p, openflow::ActionList& out, int depth);
  bool write_actions(const Piece& p, openflow::ActionList& out, int depth);
  bool ct(const Piece& p, openflow::ActionList& out, int depth);
  bool ct_argument(std::string_view term, openflow::Ct& ct, int depth);
  bool nat(std::string_view args, openflow::Nat& nat);
  bool nat_range(std::string_view text, openflow::Nat& nat);
  bool check_pkt_larger(const Piece& p, openflow::ActionList& out, int depth);
  bool delete_field(const Piece& p, openflow::ActionList& out, int depth);
  bool write_metadata(const Piece& p, openflow::ActionList& out, int depth);
  bool goto_table(const Piece& p, openflow::ActionList& out, int depth);

  std::string_view whole_;
  std::vector<TextError>* errors_;
};

// Cuts an action, or what stands in one like it, into its parts.
bool cut_piece(std::string_view text, Piece& out);
bool read_hex_bytes(std::string_view text, std::vector<std::uint8_t>& out);  // "aa.bb.cc"
void write_action(const openflow::Action& a, std::string& out);
void write_actions(const openflow::ActionList& list, std::string& out);  // "drop" when empty
void write_subfield(const Subfield& s, std::string& out);

}  // namespace egt::parsers::ofctl
