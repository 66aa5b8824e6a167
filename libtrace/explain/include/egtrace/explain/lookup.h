// Everything that a snapshot has about one thing: an address, a MAC, a cookie, a UUID or its first digits, a name, a port
// number, a tunnel key, a zone, a mark, a set, an object ("EgressIP/billing-out"). Its kind need not be given; every reading of
// it that something in the snapshot has is given.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct LookupUse {
  std::string what;
  Evidence evidence;
};

struct LookupMatch {
  std::string kind;        // "pod", "logical flow", "NAT", "interface", …; rows have the name of their table
  std::string name, node;  // node: empty where it belongs to none
  std::vector<std::pair<std::string, std::string>> facts;  // in the order in which they are to be read
  Evidence evidence;
  std::vector<LookupUse> used_by;
  bool has_lines = false;  // `used_by`: lines of a dump that concern the thing
};

struct Lookup {
  std::string term;
  std::vector<LookupMatch> matches;
  std::vector<std::string> similar;  // names that resemble it, where nothing matches
};

// `name_space`: of the object that is meant, where its name has none.
Lookup look_up(const cluster::Cluster& cluster, std::string_view term, std::string_view name_space = {});

}  // namespace egt::explain
