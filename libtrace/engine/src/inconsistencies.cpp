#include "inconsistencies.h"

namespace egt::engine {
namespace {

using cluster::Inconsistency;

void note(const cluster::Node& node, const Inconsistency& c, Record& record) {
  record.gap({node.name, c.conflict, Details(c.names.begin(), c.names.end())});
}

}  // namespace

void note_inconsistencies(const cluster::Node& node, Inconsistency::About about, std::string_view name, Record& record) {
  for (const Inconsistency& c : node.inconsistencies)
    if (c.about == about && c.name == name) note(node, c, record);
}

void note_inconsistencies_of_tunnels(const cluster::Node& node, Record& record) {
  for (const Inconsistency& c : node.inconsistencies)
    if (c.about == Inconsistency::About::port) note(node, c, record);
}

void note_inconsistencies_of_devices(const cluster::Node& node, Record& record) {
  for (const Inconsistency& c : node.inconsistencies)
    if (c.about == Inconsistency::About::node || c.about == Inconsistency::About::bridge || c.about == Inconsistency::About::port)
      note(node, c, record);
}

void note_inconsistencies(const cluster::Node& node, Inconsistency::About about, const IpAddr& of, Record& record) {
  for (const Inconsistency& c : node.inconsistencies)
    if (c.about == about && c.to && c.to->contains(of)) note(node, c, record);
}

}  // namespace egt::engine
