#include "ending_step.h"

#include <algorithm>
#include <utility>

namespace egt::render {
namespace {

using explain::EvidenceLine;
using explain::Hop;

bool is_shown(const explain::PathReport& path, const EvidenceLine& line) {
  return std::any_of(path.hops.begin(), path.hops.end(), [&](const Hop& hop) {
    return !hop.detail && std::find(hop.evidence.begin(), hop.evidence.end(), line) != hop.evidence.end();
  });
}

}  // namespace

explain::PathReport with_ending(const explain::PathReport& whole, explain::PathReport part) {
  if (!whole.walked || !whole.stopped_at) return part;
  const explain::StopReport& stop = *whole.stopped_at;
  Hop end;
  for (const EvidenceLine& line : stop.evidence)
    if (!is_shown(whole, line)) end.evidence.push_back(line);
  if (end.evidence.empty()) return part;
  end.node = stop.node;
  end.layer = stop.layer;
  end.where = stop.where;
  end.what = stop.why;
  part.hops.push_back(std::move(end));
  return part;
}

}  // namespace egt::render
