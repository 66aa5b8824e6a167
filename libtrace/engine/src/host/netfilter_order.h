// The base chains of one host in the order in which the kernel calls them.
//
// Chains of one hook run by priority; of equal ones the chain that was registered last runs first, and listings print in
// order of registration. nat-type chains all run at the fixed NAT priority of their hook; the priority they name orders
// them among themselves.
#pragma once

#include <string>
#include <vector>

#include "egtrace/engine/netfilter.h"

namespace egt::engine {

struct PlacedChain {
  const netfilter::Table* table = nullptr;
  const netfilter::Chain* chain = nullptr;
  std::string front_end;  // "iptables", "ip6tables", "nft"
  NetfilterStage stage = NetfilterStage::before_nat;
  int priority = 0;       // as named
  long registered = 0;    // greater: later
  bool reroutes = false;  // a changed mark or address makes the packet routed anew
  bool lossy = false;     // rules of iptables read from an nft listing
};

inline Place place_of(const PlacedChain& p) { return {PlaceKind::chain, {p.front_end, p.table->name, p.chain->name}}; }

// All base chains that packets of this family meet, hook by hook in calling order.
std::vector<PlacedChain> place_chains(const host::Host& host, Family family);

// The base chains of nft's family arp of one hook, likewise.
std::vector<PlacedChain> place_arp_chains(const host::Host& host, netfilter::Hook hook);

// Gaps that keep the order or the rules from being known completely.
std::vector<MissingInput> missing_rules(const host::Host& host, Family family, const std::string& node);

}  // namespace egt::engine
