// Actions as the switch holds them. A dump shows writes in several spellings (load, mod_…, set_field) of which the
// switch knows one; this turns a list of the dump into what is executed, and keeps it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "egtrace/engine/openflow/trace.h"

namespace egt::engine::ofproto {

using TlvMap = std::vector<openflow::TlvMapping>;

// Bits of a field; a tun_metadata that the map of the bridge lacks has those of the longest option.
unsigned field_bits(FieldId f, const TlvMap& map);

// Lives as long as any trace that points into it.
class OfpactCache {
 public:
  // `bridge` shows how long its tun_metadata fields are.
  const Ofpacts& of(const openflow::ActionList& list, const openflow::Bridge& bridge);
  // Of a group's bucket: the switch reads groups without the map (ofputil_pull_ofp15_buckets() in lib/ofp-group.c).
  const Ofpacts& of_bucket(const openflow::ActionList& list, const openflow::Bridge& bridge);
  // The actions inside ct(…): nat first, then exec.
  const Ofpacts& inside(const openflow::Ct& ct);
  // Pointers to the elements of a list that is in the switch's own form already.
  const Ofpacts& plain(const openflow::ActionList& list);
  // What is executed in the place of an action; always the same object for one, so that frozen lists can be compared.
  const openflow::Action& instead_of(const openflow::Action& original, openflow::Action action);

 private:
  const Ofpacts& in(const openflow::ActionList& list, const openflow::Bridge& bridge, const TlvMap& map);

  std::deque<openflow::ActionList> lists_;
  std::unordered_map<const openflow::Action*, openflow::Action> instead_;
  std::unordered_map<const void*, Ofpacts> known_;
};

// ofpacts_execute_action_set: the order in which an action set is executed; empty without a final action.
Ofpacts in_action_set_order(const Ofpacts& set);
// Whether an action does nothing but change the packet or the stack.
bool only_changes_fields(const openflow::Action& action);
// Whether the actions could be undone by putting the packet back, so that a clone needs none of the datapath.
bool reversible(const Ofpacts& list);

}  // namespace egt::engine::ofproto
