// The paths as a graph of Graphviz (https://graphviz.org/doc/info/lang.html): a cluster a node, a node a device or station, the
// addresses on the edges where they change.
#include <fmt/format.h>

#include "charted_paths.h"
#include "drawing.h"
#include "egtrace/render/explain.h"
#include "egtrace/render/printable.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace explain;

// Lines of about `width` columns; in quotes, within which Graphviz knows \" and escapes like \N and \l.
std::string dot_text(std::string_view dumped, std::size_t width = 48) {
  std::string out = "\"";
  std::size_t column = 0;
  for (const char c : with_visible(dumped)) {
    const auto u = static_cast<unsigned char>(c);
    if ((u & 0xc0) != 0x80) ++column;
    if (c == '"' || c == '\\') out += '\\';
    if (c == ' ' && column > width)
      out += "\\n", column = 0;
    else
      out += u < 0x20 || u == 0x7f ? ' ' : c;
  }
  return out + "\"";
}

std::string_view colour_of(Tone tone) { return tone == Tone::good ? "#1a7f37" : tone == Tone::bad ? "#cf222e" : "#9a6700"; }

class Graph {
 public:
  explicit Graph(const Explanation& e) : e_(e) {}

  std::string print() {
    out_ = "digraph path {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n";
    for (const ChartedPath& charted : charted_paths(e_)) path(*charted.path, charted.title);
    return out_ + "}\n";
  }

 private:
  std::string next_id() { return fmt::format("n{}", ++count_); }

  void path(const PathReport& w, const std::string& title) {
    std::string before = next_id(), edges, label;
    out_ += fmt::format("  {} [shape=oval, label={}];\n", before, dot_text(title));
    std::vector<std::vector<std::string>> ids;
    for (const Visit& v : draw(w).visits) {
      out_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", next_id(), dot_text(v.node.empty() ? "outside" : v.node));
      ids.emplace_back();
      for (const DrawingItem& item : v.items) {
        if (const auto* r = std::get_if<Repeated>(&item)) {
          edges += fmt::format("  {} -> {} [style=dashed, constraint=false, label={}];\n", before, ids[r->visit][r->item],
                               dot_text(repeated_words(*r)));
          ids.back().push_back(before);
          continue;
        }
        const std::string id = next_id();
        ids.back().push_back(id);
        if (const auto* p = std::get_if<Passing>(&item)) {
          out_ +=
              fmt::format("    {} [label={}];\n", id, dot_text(fmt::format("{} {}", p->at->device, p->at->in ? "in" : "out")));
          label = packet_label(*p);
        } else {
          out_ += fmt::format("    {} [style=rounded, label={}];\n", id, dot_text(station_label(w, std::get<Station>(item))));
        }
        edges += edge(before, id, label);
        label.clear();
        before = id;
      }
      out_ += "  }\n";
    }
    const std::string end = next_id();
    out_ += fmt::format("  {} [shape=oval, penwidth=3, color=\"{}\", label={}];\n", end, colour_of(tone_of(w.verdict)),
                        dot_text(fmt::format("{}: {}", explain::name_of(w.verdict), w.summary)));
    out_ += edges + edge(before, end, "");
  }

  static std::string edge(const std::string& from, const std::string& to, const std::string& label) {
    return label.empty() ? fmt::format("  {} -> {};\n", from, to)
                         : fmt::format("  {} -> {} [label={}];\n", from, to, dot_text(label));
  }

  const Explanation& e_;
  std::string out_;
  std::size_t count_ = 0;
};

}  // namespace

std::string explain_dot(const Explanation& e) { return Graph(e).print(); }

}  // namespace egt::render
