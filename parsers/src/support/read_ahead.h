// What `load` of a format takes of Format::read_ahead, whichever thread found it.
#pragma once

#include <memory>

#include "egtrace/parsers/format.h"

namespace egt::parsers {

// `find`: the format's read_ahead, which hands back a Found.
template <class Found>
std::shared_ptr<Found> found_ahead(const Dump& dump, std::shared_ptr<void> (*find)(const Dump&)) {
  return std::static_pointer_cast<Found>(dump.ahead ? dump.ahead->get_or([&] { return find(dump); }) : find(dump));
}

}  // namespace egt::parsers
