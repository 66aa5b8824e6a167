#include "host_record.h"

#include <algorithm>

namespace egt::engine {
namespace {

// Nodes that are no cluster nodes are the path's routers and servers.
Layer layer_of_host(const cluster::Node& node) {
  const bool in_cluster = std::find(node.roles.begin(), node.roles.end(), cluster::Role::cluster_node) != node.roles.end();
  return node.roles.empty() || in_cluster ? Layer::host : Layer::router;
}

}  // namespace

HostRecord::HostRecord(const cluster::Node& node, Record& record, Chooser& chooser)
    : node_(node), record_(record), chooser_(chooser), layer_(layer_of_host(node)) {}

void HostRecord::assume(Assumption assumption) {
  const auto& all = record_.assumptions;
  if (std::none_of(all.begin(), all.end(), [&](const Assumption& a) { return a.says_as(assumption); }))
    record_.assume(std::move(assumption));
}

void HostRecord::note(const std::vector<Assumption>& assumptions, bool decided) {
  for (const Assumption& d : assumptions) {
    if (decided) {
      Assumption here = d;
      here.node = node_.name;
      if (d.what == Supposition::neighbour_stays_silent) here.about.insert(here.about.begin() + 1, node_.name);
      assume(std::move(here));
    }
    if (!can_be_dumped(d.what)) continue;
    Details about = d.about;
    about.insert(about.end(), d.because.begin(), d.because.end());
    record_.gap({node_.name, d.what, std::move(about)});
  }
}

bool HostRecord::know(const Setting& setting, bool otherwise, Supposition needed) {
  if (setting.value) return *setting.value != 0;
  assume({needed, {node_.name, setting.key, std::uint64_t{otherwise}}});
  gap(Input::setting, {setting.key});
  return otherwise;
}

std::size_t HostRecord::choose(ChoicePoint point) {
  point.node = node_.name;
  return chooser_.choose(point);
}

}  // namespace egt::engine
