// The paths as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html): a subgraph a node, a node a device or
// station, the addresses on the edges where they change.
#include <fmt/format.h>

#include "charted_paths.h"
#include "drawing.h"
#include "egtrace/render/explain.h"

namespace egt::render {
namespace {

using namespace explain;

// Inside "…": Mermaid knows entities written with '#'; what is left of HTML's must not come through either.
std::string mermaid_text(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"')
      out += "#quot;";
    else if (c == '#')
      out += "#35;";
    else if (c == '<')
      out += "#lt;";
    else if (c == '>')
      out += "#gt;";
    else if (c == '&')
      out += "#amp;";
    else if (c == '`')
      out += "#96;";
    else if (u < 0x20 || u == 0x7f)
      out += ' ';
    else
      out += c;
  }
  return out + "\"";
}

class Chart {
 public:
  explicit Chart(const Explanation& e) : e_(e) {}

  std::string print() {
    out_ = "flowchart TD\n";
    for (const ChartedPath& charted : charted_paths(e_)) path(*charted.path, charted.title);
    out_ +=
        "  classDef good stroke:#1a7f37,stroke-width:3px\n  classDef bad stroke:#cf222e,stroke-width:3px\n"
        "  classDef doubtful stroke:#9a6700,stroke-width:3px\n";
    return out_;
  }

 private:
  std::string next_id() { return fmt::format("n{}", ++count_); }

  void path(const PathReport& w, const std::string& title) {
    std::string edges, before = next_id();
    out_ += fmt::format("  {}([{}])\n", before, mermaid_text(title));
    std::string label;
    std::vector<std::vector<std::string>> ids;
    for (const Visit& v : draw(w).visits) {
      out_ += fmt::format("  subgraph {}[{}]\n", next_id(), mermaid_text(v.node.empty() ? "outside" : v.node));
      ids.emplace_back();
      for (const DrawingItem& item : v.items) {
        if (const auto* r = std::get_if<Repeated>(&item)) {
          edges += fmt::format("  {} -.->|{}| {}\n", before, mermaid_text(repeated_words(*r)), ids[r->visit][r->item]);
          ids.back().push_back(before);
          continue;
        }
        const std::string id = next_id();
        ids.back().push_back(id);
        if (const auto* p = std::get_if<Passing>(&item)) {
          out_ += fmt::format("    {}[{}]\n", id, mermaid_text(fmt::format("{} {}", p->at->device, p->at->in ? "in" : "out")));
          label = packet_label(*p);
        } else {
          out_ += fmt::format("    {}{{{{{}}}}}\n", id, mermaid_text(station_label(w, std::get<Station>(item))));
        }
        edges += label.empty() ? fmt::format("  {} --> {}\n", before, id)
                               : fmt::format("  {} -->|{}| {}\n", before, mermaid_text(label), id);
        label.clear();
        before = id;
      }
      out_ += "  end\n";
    }
    const std::string end = next_id();
    out_ += fmt::format("  {}([{}])\n", end, mermaid_text(fmt::format("{}: {}", explain::name_of(w.verdict), w.summary)));
    out_ += edges + fmt::format("  {} --> {}\n  class {} {}\n", before, end, end, class_of(tone_of(w.verdict)));
  }

  const Explanation& e_;
  std::string out_;
  std::size_t count_ = 0;
};

}  // namespace

std::string explain_mermaid(const Explanation& e) { return Chart(e).print(); }

}  // namespace egt::render
