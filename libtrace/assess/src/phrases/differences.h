// Why parts of two snapshots are not compared.
#pragma once

#include <cstdint>
#include <string>

namespace egt::assess {

enum class NotShown : std::uint8_t {
  by_first,
  by_second,
  by_either,
};

std::string phrase(NotShown by);

}  // namespace egt::assess
