// One line of dump-groups.
#pragma once

#include <string_view>

#include "egtrace/openflow/group.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers::ofctl {

constexpr std::string_view kGroupTypes[] = {"all", "select", "indirect", "ff"};  // by Group::Type

struct GroupLine {
  std::size_t indent = 0;
  bool has_id = false;
  bool bad_actions = false;  // actions of a bucket are not understood; the rest is
  openflow::Group group;
};

// What is understood is kept even where something is not; then `error` mentions it. False when the line as a whole is
// not; `line.bad_actions` is shown by `error`, too.
bool read_group_line(std::string_view text, GroupLine& line, TextError& error);

// A group that is not understood must not pass for one that does not exist: it gets one bucket with unknown actions.
void make_unread(std::string_view text, openflow::Group& group);

}  // namespace egt::parsers::ofctl
