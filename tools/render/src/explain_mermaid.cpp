// The paths as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html): a subgraph a machine, a node a device or
// station, the addresses on the edges where they change.
#include <fmt/format.h>

#include "drawing.h"
#include "egtrace/explain/fold.h"
#include "egtrace/render/explain.h"

namespace egt::render {
namespace {

using namespace explain;

// Inside "…": Mermaid knows entities written with '#'; what is left of HTML's must not come through either.
std::string mermaid_text(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"') out += "#quot;";
    else if (c == '#') out += "#35;";
    else if (c == '<') out += "#lt;";
    else if (c == '>') out += "#gt;";
    else if (c == '&') out += "#amp;";
    else if (c == '`') out += "#96;";
    else if (u < 0x20 || u == 0x7f) out += ' ';
    else out += c;
  }
  return out + "\"";
}

class Chart {
 public:
  explicit Chart(const Explanation& e) : e_(e) {}

  std::string print() {
    out_ = "flowchart TD\n";
    const std::vector<PathGroup> groups = fold_paths(e_.paths);
    for (const PathGroup& group : groups) {
      std::string title = e_.paths.size() > 1 ? fmt::format("path {}: ", group.paths.front() + 1) : "";
      path(e_.paths[group.paths.front()], title + fmt::format("{} {} > {}", e_.packet.proto, end_text(e_.packet.src, e_.packet.sport),
                                                             end_text(e_.packet.dst, e_.packet.dport)));
      for (const FollowUp& reply : e_.paths[group.paths.front()].reply)
        for (const PathReport& answer : reply.paths) path(answer, "answer");
    }
    out_ += "  classDef good stroke:#1a7f37,stroke-width:3px\n  classDef bad stroke:#cf222e,stroke-width:3px\n"
            "  classDef doubtful stroke:#9a6700,stroke-width:3px\n";
    return out_;
  }

 private:
  std::string next_id() { return fmt::format("n{}", ++count_); }

  void path(const PathReport& w, const std::string& title) {
    std::string edges, before = next_id();
    out_ += fmt::format("  {}([{}])\n", before, mermaid_text(title));
    std::string label;
    for (const Visit& v : draw(w).visits) {
      out_ += fmt::format("  subgraph {}[{}]\n", next_id(), mermaid_text(v.node.empty() ? "outside" : v.node));
      for (const DrawingItem& item : v.items) {
        const std::string id = next_id();
        if (const auto* p = std::get_if<Passing>(&item)) {
          out_ += fmt::format("    {}[{}]\n", id, mermaid_text(fmt::format("{} {}", p->at->device, p->at->in ? "in" : "out")));
          label = packet_label(*p);
        } else {
          out_ += fmt::format("    {}{{{{{}}}}}\n", id, mermaid_text(station_label(w, std::get<Station>(item))));
        }
        edges += label.empty() ? fmt::format("  {} --> {}\n", before, id) : fmt::format("  {} -->|{}| {}\n", before, mermaid_text(label), id);
        label.clear();
        before = id;
      }
      out_ += "  end\n";
    }
    const std::string end = next_id();
    out_ += fmt::format("  {}([{}])\n", end, mermaid_text(fmt::format("{}: {}", explain::name_of(w.verdict), w.summary)));
    out_ += edges + fmt::format("  {} --> {}\n  class {} {}\n", before, end, end, class_of(tone_of(w.verdict)));
  }

  // Only where something changed since the last sighting.
  static std::string packet_label(const Passing& p) {
    const SightingReport& s = *p.at;
    if (p.before != nullptr && p.before->src == s.src && p.before->dst == s.dst && p.before->sport == s.sport && p.before->dport == s.dport &&
        p.before->encap.has_value() == s.encap.has_value())
      return {};
    std::string text = fmt::format("{} > {}", end_text(s.src, s.sport), end_text(s.dst, s.dport));
    if (s.encap) text += fmt::format(" in {} VNI {}", s.encap->type, s.encap->vni);
    return text;
  }

  static std::string station_label(const PathReport& w, const Station& station) {
    std::string text = station.name;
    for (const std::size_t i : station.hops)
      if (!w.hops[i].detail) text += "; " + w.hops[i].what;
    return text;
  }

  const Explanation& e_;
  std::string out_;
  std::size_t count_ = 0;
};

}  // namespace

std::string explain_mermaid(const Explanation& e) { return Chart(e).print(); }

}  // namespace egt::render
