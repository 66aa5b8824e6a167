// The text of Open vSwitch's flows, matches and actions (ovs-fields(7), ovs-actions(7), ovs-ofctl(8)) as plain functions.
//
// The tree of a line keeps what the text had, in its order and spelling, so that it prints back byte for byte. What is
// looked at by engines is the meaning: the words of a Match and an ActionList.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/openflow/action.h"
#include "egtrace/openflow/flow_table.h"
#include "egtrace/openflow/match.h"

namespace egt::parsers {

// Why a piece of text was not understood. `column` counts from 1 within the text that was handed in.
struct TextError {
  std::string message;
  std::uint32_t column = 1;
};

// How a value was written.
enum class ValueForm : std::uint8_t {
  none,         // no value: a protocol word ("tcp") or a field's presence ("tun_metadata0")
  decimal,      // 80
  hexadecimal,  // 0x50, 0x0050 (`width` digits)
  bare_hex,     // 1c: hexadecimal without 0x (tun_tos)
  ethernet,
  ipv4,
  ipv6,
  prefix_length,  // mask only: /24
  signed_flags,   // +new-est: value and mask at once
  named_flags,    // new|trk
  word,           // nw_frag=later, in_port=LOCAL
  name,           // in_port="veth0": the number is not known here
  packet_type,    // (1,0x800)
};

// One term of a match as written. The views point into the text that was parsed.
struct MatchItem {
  FieldId field = FieldId::count_;  // count_: a protocol word, or a field that the model does not know
  ValueForm form = ValueForm::none;
  ValueForm mask_form = ValueForm::none;   // none: no mask was written
  std::uint8_t width = 0, mask_width = 0;  // digits of a hexadecimal number that begins with zeros; else 0
  std::string_view name;                   // the field or protocol word as spelled
  std::string_view text;                   // of `word` and `name` (without quotes); "[0..3]" of numbers for bits of a field
  U128 value = 0, mask = 0;                // host order; mask is all ones of the field when none was written
};

// A term before the match: "n_packets=0", "send_flow_rem".
struct FlowStat {
  enum class Kind : std::uint8_t {
    cookie,
    duration,
    table,
    table_id,
    n_packets,
    n_bytes,
    idle_timeout,
    hard_timeout,
    importance,
    idle_age,
    hard_age,
    flag,  // send_flow_rem, check_overlap, reset_counts, no_packet_counts, no_byte_counts, no_readonly_table
  };
  Kind kind = Kind::cookie;
  std::uint8_t digits = 0;     // decimals of a duration
  std::uint32_t fraction = 0;  // of a duration, in units of 10^-digits seconds
  std::uint64_t value = 0;     // seconds for times
  std::string_view text;       // a flag's word; the name of a table where its number is not shown
};

// A line of dump-flows. The views point into the text that was parsed.
struct FlowLine {
  std::uint16_t indent = 0;  // blanks before the line
  std::vector<FlowStat> stats;
  std::optional<std::uint16_t> priority;  // as printed; absent means 32768
  std::vector<MatchItem> match;
  bool comma_before_actions = false;  // ovs-appctl bridge/dump-flows
  bool has_actions = false;
  bool placed = true;  // table and priority are certain, even if something else was not understood
  std::string_view actions;

  std::uint8_t table = 0;
  std::uint64_t cookie = 0;
  openflow::FlowUse use;

  void clear();
};

Result<FlowLine, TextError> parse_flow_line(std::string_view line);
std::string format_flow_line(const FlowLine& line);
// As ovs-ofctl would print it for a flow that a user typed: match in canonical order and forms.
std::string normal_flow_line(const FlowLine& line);

// Port names (in_port="veth0") become numbers through this; without it, or where it knows none, such text is refused.
using PortResolver = std::function<std::optional<std::uint32_t>(std::string_view name)>;

// "tcp,nw_src=10.0.0.0/8,tp_dst=80"; a priority is accepted and left out. An empty text matches everything.
Result<openflow::Match, TextError> parse_match(std::string_view text, const PortResolver& ports = {});
// In the order and forms of lib/match.c:match_format, without priority; empty for a match on nothing.
std::string format_match(openflow::MatchView match);

// Stands before the text of a flow that could not be read and was added to a table nevertheless, with what is known of
// its match, so that a packet that may run into it does not pass unnoticed: such a text is one Opaque as a whole.
constexpr std::string_view kUnreadFlow = "not understood: ";

// What is not understood becomes Opaque; the rest of the list is kept. "drop" and "" give an empty list.
openflow::ActionList parse_actions(std::string_view text);
// The same, showing what is wrong with each Opaque.
openflow::ActionList parse_actions(std::string_view text, std::vector<TextError>& errors);
// "drop" for an empty list.
std::string format_actions(const openflow::ActionList& actions);
std::string format_action(const openflow::Action& action);
std::string format_port(const openflow::Port& port);  // 5, LOCAL, "a b"
std::string format_subfield(const Subfield& s);       // NXM_NX_REG0[0..15]
std::optional<Subfield> parse_subfield(std::string_view text);

// A packet as ofproto/trace takes it: "in_port=1,tcp,nw_src=10.0.0.1,tp_dst=80"; what is not given is zero. Fields stand
// behind those that they need, once each and without masks. Errors are in the words of ofproto/trace.
Result<FlowKey> parse_flow_key(std::string_view text, const PortResolver& ports = {});

}  // namespace egt::parsers
