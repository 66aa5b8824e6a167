// How a snapshot was collected: what its archives and files show of each dump besides the facts in it. Nothing here
// decides what a packet does; it shows how far the facts can be trusted and what time they are of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/history.h"

namespace egt::cluster {

struct DumpOrigin {
  std::string command;  // that printed it, as far as prompts, names and the collector show
  std::uint64_t bytes = 0;
  std::int64_t time = 0;    // when it was printed, seconds since 1970; 0: nothing shows
  std::string why_partial;  // empty where it is whole
  std::string note;         // why it is not read
  std::string topic;        // what it shows ("flows br-int"): dumps of one topic and node compete
};

struct Collection {
  std::vector<DumpOrigin> dumps;          // as many as Cluster::dumps, in its order
  std::vector<std::string> collected_by;  // "sos report: 4.6.1", as the archives show it
  // The tool that replaced addresses and names ("sos clean"); empty: none. Numbers in registers and marks stay the real
  // ones then, and no longer join with addresses in text.
  std::string obfuscated_by;
  bool translated_back = false;  // by the private map of `sos clean`: addresses are those of before again
  // Archives in which a checksum or the format shows wrong bytes, with what shows it; dumps out of them may be wrong anywhere.
  std::vector<std::string> damaged;
  // What was not read and may hold dumps, and why: encrypted, nested too deep, beyond a limit, cut off.
  std::vector<std::string> missing;
  // Symbolic links out of the snapshot's directory, below its root: what they lead to was not read.
  std::vector<std::string> links_out;
  // The moment, in ms since 1970, as of which databases were read; absent: as of their last transaction.
  std::optional<std::int64_t> as_of;
  std::vector<DatabaseMoment> as_of_databases;  // that were read so
};

}  // namespace egt::cluster
