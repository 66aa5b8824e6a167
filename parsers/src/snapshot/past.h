// What reading a snapshot as of a moment, and showing its history, ask of all its dumps together.
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/base/moment.h"
#include "egtrace/base/result.h"
#include "egtrace/cluster/history.h"
#include "snapshot/examine.h"

namespace egt::parsers {

// In ms since 1970; a relative moment counts back from the newest transaction of all. The error is for dumps among which
// there is no log.
Result<std::int64_t> resolve_moment(const Moment& moment, const std::vector<Candidate>& candidates);

// Of one node's dumps, leaves out listings of databases of which there is the file: they are of another moment than
// the one as of which the file is read.
void leave_out_present(const std::vector<Candidate*>& dumps);

// By time, those of one log in its order; of an entry that several servers of a cluster have, the first stays.
void sort_history(cluster::History& history);

}  // namespace egt::parsers
