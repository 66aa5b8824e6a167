// Which logical flows an OpenFlow flow was made of.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "egtrace/cluster/cluster.h"
#include "names.h"

namespace egt::explain {

class FlowOrigins {
 public:
  explicit FlowOrigins(const Names& names) : names_(names) {}

  // The flow's table and priority, with its logical flows: of its cookie, and of a conjunctive flow without one those of its conjunctions.
  std::string words(const cluster::Node& node, const openflow::Bridge& bridge, openflow::FlowIndex flow);

 private:
  using Cookies = std::multimap<std::pair<std::uint8_t, std::uint32_t>, std::uint64_t>;  // by table and conj_id

  std::set<std::uint64_t> cookies_behind(const openflow::Bridge& bridge, openflow::FlowIndex member);
  const Cookies& conjunctions_of(const openflow::Bridge& bridge);

  const Names& names_;
  std::map<const openflow::Bridge*, Cookies> conjunctions_;
};

}  // namespace egt::explain
