#include "contradictions.h"

#include <algorithm>

namespace egt::engine {
namespace {

using cluster::Contradiction;

void note(const cluster::Node& node, const Contradiction& c, Record& record) {
  Gap gap{node.name, c.what, c.command};
  if (std::find(record.gaps.begin(), record.gaps.end(), gap) == record.gaps.end())
    record.gaps.push_back(std::move(gap));
}

}  // namespace

void note_contradictions(const cluster::Node& node, Contradiction::About about, std::string_view name, Record& record) {
  for (const Contradiction& c : node.contradictions)
    if (c.about == about && c.name == name) note(node, c, record);
}

void note_contradictions_of_tunnels(const cluster::Node& node, Record& record) {
  for (const Contradiction& c : node.contradictions)
    if (c.about == Contradiction::About::port) note(node, c, record);
}

void note_contradictions(const cluster::Node& node, const IpAddr& to, Record& record) {
  for (const Contradiction& c : node.contradictions)
    if (c.about == Contradiction::About::routes && c.to && c.to->contains(to)) note(node, c, record);
}

}  // namespace egt::engine
