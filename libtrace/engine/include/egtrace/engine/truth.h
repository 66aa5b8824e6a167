#pragma once

#include <cstdint>

namespace egt::engine {

// Of a test, as far as the dumps go.
enum class Truth : std::uint8_t { no, yes, unknown };

}  // namespace egt::engine
