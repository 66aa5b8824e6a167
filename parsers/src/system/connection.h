// What the two spellings of a connection (conntrack(8), ovs-appctl(8) dpctl/dump-conntrack) have in common: two tuples
// and the attributes behind them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/host/conntrack_entry.h"
#include "egtrace/host/host.h"
#include "egtrace/packet/packet.h"
#include "support/lines.h"
#include "system/item.h"

namespace egt::parsers::system {

struct Connection {
  std::uint8_t proto = 0;
  std::vector<Item> original, reply;  // with counters and flags that stand there
  std::vector<Item> rest;             // behind the reply tuple
  Tuple original_tuple, reply_tuple;  // of settle()
};

// Why a line was not understood. `column` counts from 1.
struct Problem {
  std::string message;
  std::uint32_t column = 1;
};

// Computes the tuples and checks the attributes that the model takes; false when something is missing or not possible.
bool settle(Connection& connection, std::string_view line, Problem& problem);

// Tuples, zone, mark and label; the rest is for the caller.
host::ConntrackEntry entry_of(const Connection& connection, Provenance from);

// Whether the model can hold it. What it cannot hold (a zone that counts for one direction only) and unknown
// attributes are reported.
bool report_attributes(const Connection& connection, const Line& line, LineReport& report);

// Whether this line is the last of several and may have been cut, so that its numbers cannot be trusted.
bool may_be_cut(const Line& line, const Dump& dump);

// Adds a dump's entries to those of other dumps, each connection once.
void add_entries(std::vector<host::ConntrackEntry> entries, bool partial, const Dump& dump,
                 host::Part<std::vector<host::ConntrackEntry>>& part);

}  // namespace egt::parsers::system
