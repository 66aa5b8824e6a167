// Why an expectation holds, fails or is not decided, what objects imply, and what of a question cannot be meant: values.
// phrases of assess word them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/base/term.h"
#include "egtrace/evidence/evidence.h"

namespace egt::assess {

enum class Ground : std::uint8_t {
  ends,     // how the path ends, and on whose behalf
  differs,  // what its end shows: a source, a destination, a node or a device
  not_on_path,
  on_path,
  reply_not_walked,
  not_followed,    // why the walk that is to follow it is not there
  follow_up_ends,  // the reply, or the packet after the handshake
  more_paths,      // than were walked
  not_understood,  // a part of the path
  all_hold,        // of several packets
  some_fail,
};

struct Grounds {
  Ground ground = Ground::ends;
  Terms about = {};
};

// What objects imply: the names of expectations.
enum class Implication : std::uint8_t {
  leaves_as_address,
  reaches_node_without_it,
  leaves_by_gateway,
  service_from_node,
  service_from_outside,
  sends_nothing,
  receives_nothing,
  firewall_rule,
  admin_rule,
  network_rule,       // of a NetworkPolicy, that lets a connection through
  network_isolation,  // for which no rule lets a connection through
  service_denied,     // to one pod, by policies
};

// The text of the question that it begins with may be absent.
enum class Mistake : std::uint8_t {
  no_such_pod,
  no_such_node,
  no_such_service,
  no_service,  // the text names none
  no_pattern,
  nothing_in_network,
  unknown_name,
  unknown_namespace,
  no_address,
  impossible_address,
  other_family,
  other,  // which another stage words
};

std::string phrase(const Grounds& grounds);
// What does not decide it: its grounds, where there are any, and what the snapshot lacks. `depends`: it fails but for that.
std::string phrase_undecided(const std::string& grounds, const std::vector<Gap>& gaps, bool depends);
std::string phrase(Implication implication, const Terms& about);
Error mistake(Mistake mistake, const Terms& about);

}  // namespace egt::assess
