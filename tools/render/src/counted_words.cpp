#include "counted_words.h"

#include <fmt/format.h>

namespace egt::render {

std::string never_counted_words(const explain::Hop& hop) {
  return fmt::format("has never counted a packet, while {} counted {}",
                     hop.layer == "host" ? "another rule of its chain" : "a flow of lower priority that matches as well",
                     hop.counted->beside);
}

}  // namespace egt::render
