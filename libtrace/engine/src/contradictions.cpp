#include "contradictions.h"

namespace egt::engine {
namespace {

using cluster::Contradiction;

void note(const cluster::Node& node, const Contradiction& c, Record& record) {
  record.gap({node.name, c.conflict, Details(c.names.begin(), c.names.end())});
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

void note_contradictions_of_devices(const cluster::Node& node, Record& record) {
  for (const Contradiction& c : node.contradictions)
    if (c.about == Contradiction::About::machine || c.about == Contradiction::About::bridge || c.about == Contradiction::About::port)
      note(node, c, record);
}

void note_contradictions(const cluster::Node& node, Contradiction::About about, const IpAddr& of, Record& record) {
  for (const Contradiction& c : node.contradictions)
    if (c.about == about && c.to && c.to->contains(of)) note(node, c, record);
}

}  // namespace egt::engine
