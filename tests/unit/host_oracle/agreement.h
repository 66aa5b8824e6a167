// What counts as agreement of a way with what the kernel did.
#pragma once

#include <string>
#include <vector>

#include "kernel_host.h"
#include "predictor.h"

namespace egt::test {

struct Split {
  std::vector<const Observation::Item*> packets, answers, delivered;
};
// ICMP redirects are left out. Nobody answers an error: of a probe that is one, nothing counts as an answer.
Split split(const Observation& o, bool probe_is_error);

bool is_redirect(const Seen& s);
bool is_answer(const Seen& s);

// What may be seen besides, or not be.
struct Circumstances {
  bool probe_is_error = false;
  bool may_be_silent = false;   // the kernel is sparing with errors to this sender
  bool kernel_said_no = false;  // to the process that wanted to send
};
bool agrees(const Way& w, const Observation& o, const Circumstances& c);

// Nobody answers for the next hop: the kernel says nothing for three seconds.
bool waits_for_neighbour(const Way& w);
// Copies that come back by lo and are copied again, until the TTL is used up: how often what they cause is seen is not
// shown.
bool storms(const Way& w);

std::string describe(const Observation& o);

}  // namespace egt::test
