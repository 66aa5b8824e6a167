// What of a flow decides how it is judged: where it was seen, as which packets, and not by which source port or at what
// time. Flows of one shape have one outcome.
#pragma once

#include <string>

#include "address_classes.h"
#include "flows.h"

namespace egt::explain::capture_study {

// Equal for flows that differ only in the source port, in time, in the number of packets that are not sent again, and,
// where `classes` is given, in addresses of one class. The bytes mean nothing else.
std::string shape_of(const Flow& flow, const AddressClasses* classes);

}  // namespace egt::explain::capture_study
