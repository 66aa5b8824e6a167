#include "drawing.h"

#include <fmt/format.h>

namespace egt::render {
namespace {

using explain::Hop;

std::string station_name(const Hop& hop) {
  if (hop.layer == "host" || hop.layer == "router") return "network stack";
  const std::string first = hop.where.substr(0, hop.where.find(' '));
  return first.empty() ? hop.layer : first;
}

class Draughtsman {
 public:
  explicit Draughtsman(const explain::PathReport& path) : way_(path) {}

  Drawing draw() {
    if (!way_.walked) return {};   // nothing leads from one line to the next
    std::size_t next = 0;
    for (std::size_t i = 0; i <= way_.hops.size(); ++i) {
      while (next < way_.sightings.size() && (way_.sightings[next].hop <= i || i == way_.hops.size())) pass(way_.sightings[next++]);
      if (i < way_.hops.size()) step(way_.hops[i], i);
    }
    return std::move(drawing_);
  }

 private:
  Visit& visit(const std::string& node) {
    if (drawing_.visits.empty() || (drawing_.visits.back().node != node && !node.empty())) drawing_.visits.push_back({node, {}});
    return drawing_.visits.back();
  }

  void pass(const explain::SightingReport& s) {
    visit(s.node).items.push_back(Passing{&s, before_});
    before_ = &s;
  }

  void step(const Hop& hop, std::size_t index) {
    if (hop.layer == "underlay" && hop.detail && hop.evidence.empty()) return;   // the wire between two machines is drawn as one
    Visit& v = visit(hop.node);
    const std::string name = station_name(hop);
    if (!v.items.empty())
      if (auto* last = std::get_if<Station>(&v.items.back()); last != nullptr && last->name == name) {
        last->hops.push_back(index);
        return;
      }
    v.items.push_back(Station{name, hop.layer, {index}});
  }

  const explain::PathReport& way_;
  Drawing drawing_;
  const explain::SightingReport* before_ = nullptr;
};

}  // namespace

Drawing draw(const explain::PathReport& path) { return Draughtsman(path).draw(); }

std::string packet_label(const Passing& p) {
  const explain::SightingReport& s = *p.at;
  if (p.before != nullptr && p.before->src == s.src && p.before->dst == s.dst && p.before->sport == s.sport && p.before->dport == s.dport &&
      p.before->encap.has_value() == s.encap.has_value())
    return {};
  std::string text = fmt::format("{} > {}", end_text(s.src, s.sport), end_text(s.dst, s.dport));
  if (s.encap) text += fmt::format(" in {} VNI {}", s.encap->type, s.encap->vni);
  return text;
}

std::string station_label(const explain::PathReport& path, const Station& station) {
  std::string text = station.name;
  for (const std::size_t i : station.hops)
    if (!path.hops[i].detail) text += "; " + path.hops[i].what;
  return text;
}

std::string end_text(const std::string& ip, const std::optional<std::uint16_t>& port) {
  if (!port) return ip;
  return ip.find(':') == std::string::npos ? fmt::format("{}:{}", ip, *port) : fmt::format("[{}]:{}", ip, *port);
}

}  // namespace egt::render
