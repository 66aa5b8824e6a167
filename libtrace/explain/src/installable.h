// Whether the switch has a flow for all that a conjunct matches, in the same form.
#pragma once

#include "egtrace/ovn/normal_form.h"

namespace egt::explain {

// Not of a part of a field that has no mask, nor of a field without its prerequisites: ovn-controller's flow does not match on these
// (nx_put_raw() and mf_set() of Open vSwitch) and may be the same as another, or the switch refuses it (mf_are_prereqs_ok()).
bool is_installable(const ovn::Conjunct& conjunct);
inline bool is_installable(const ovn::NormalForm& form) {
  for (const ovn::Conjunct& conjunct : form)
    if (!is_installable(conjunct)) return false;
  return true;
}

}  // namespace egt::explain
