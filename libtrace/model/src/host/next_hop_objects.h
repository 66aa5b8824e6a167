// Next hops that routes name by the number of an object.
#pragma once

#include <vector>

#include "egtrace/host/host.h"

namespace egt::host {

// Gives routes that show the number alone the next hops of that object, or of all of its group. Where one is not in the dumps, the route
// is left as it is.
void resolve_next_hops(const Host& host, std::vector<Route>& routes);

}  // namespace egt::host
