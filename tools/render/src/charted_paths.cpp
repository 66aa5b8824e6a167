#include "charted_paths.h"

#include <fmt/format.h>

#include "drawing.h"
#include "egtrace/explain/fold.h"

namespace egt::render {

std::vector<ChartedPath> charted_paths(const explain::Explanation& e) {
  std::vector<ChartedPath> all;
  for (const explain::PathGroup& group : explain::fold_paths(e.paths)) {
    const explain::PathReport& path = e.paths[group.paths.front()];
    const std::string number = e.paths.size() > 1 ? fmt::format("path {}: ", group.paths.front() + 1) : "";
    all.push_back({&path, number + fmt::format("{} {} > {}", e.packet.proto, end_text(e.packet.src, e.packet.sport),
                                               end_text(e.packet.dst, e.packet.dport))});
    for (const explain::FollowUp& reply : path.reply)
      for (const explain::PathReport& one : reply.paths) all.push_back({&one, "reply"});
  }
  return all;
}

}  // namespace egt::render
