// The topology as SVG: hosts outside the cluster above, nodes below, the networks that join them between, tunnels as arcs under
// the nodes. Nodes can be chosen.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using explain::ClusterMap;
using explain::MapNode;

constexpr std::size_t kMostNodes = 24;  // that are drawn; the others are listed
constexpr int kBox = 168, kGap = 26, kBoxHeight = 64, kMargin = 14, kBar = 34, kTop = 14;

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
    if (++characters == most) return text.substr(0, i) + "\xe2\x80\xa6";
  }
  return text;
}

struct BoxLayout {
  int x = 0, y = 0;
  std::size_t legs = 0, drawn = 0;  // of networks
};

class Plan {
 public:
  explicit Plan(const Report& report) : report_(report), map_(*report.map) {}

  std::string print() {
    choose();
    place();
    std::string svg = tunnels() + networks();
    for (std::size_t i = 0; i < map_.nodes.size(); ++i)
      if (placed_[i]) svg += box(i);
    return fmt::format(
        "<div class=\"plan\"><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"group\" aria-label=\"nodes, "
        "networks and tunnels\">\n{2}</svg></div>\n",
        width_, height_, svg);
  }

  std::size_t left_out() const { return left_out_; }

 private:
  bool is_troubled(const MapNode& m) const {
    if (report_.triage == nullptr) return false;
    return std::any_of(report_.triage->findings.begin(), report_.triage->findings.end(), [&](const assess::Finding& f) {
      return f.severity != assess::Severity::note &&
             (f.node == m.name || std::find(f.nodes.begin(), f.nodes.end(), m.name) != f.nodes.end());
    });
  }

  // Of many nodes those that something is known of.
  void choose() {
    for (std::size_t i = 0; i < map_.nodes.size(); ++i) (map_.nodes[i].is_cluster_node ? below_ : above_).push_back(i);
    const auto rank = [&](std::size_t i) { return is_troubled(map_.nodes[i]) ? 0 : !map_.nodes[i].egress.empty() ? 1 : 2; };
    for (std::vector<std::size_t>* row : {&below_, &above_}) {
      if (row->size() <= kMostNodes) continue;
      std::stable_sort(row->begin(), row->end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
      left_out_ += row->size() - kMostNodes;
      row->resize(kMostNodes);
      std::sort(row->begin(), row->end());
    }
    placed_.resize(map_.nodes.size());
    for (const auto* row : {&below_, &above_})
      for (const std::size_t i : *row) placed_[i] = BoxLayout{};
    for (const explain::MapNetwork& network : map_.networks)
      if (nodes_of(network).size() > 1) drawn_.push_back(&network);
  }

  std::set<std::size_t> nodes_of(const explain::MapNetwork& network) const {
    std::set<std::size_t> nodes;
    for (const auto& port : network.ports)
      if (placed_[port.node]) nodes.insert(port.node);
    return nodes;
  }

  void place() {
    const int bars = static_cast<int>(drawn_.size()) * kBar, top_row = above_.empty() ? 0 : kBoxHeight;
    bars_y_ = kTop + top_row + kBar;
    const int below_y = bars_y_ + bars + (drawn_.empty() ? 0 : 4);
    const std::size_t most = std::max(above_.size(), below_.size());
    width_ = std::max(360, 2 * kMargin + static_cast<int>(most) * (kBox + kGap) - kGap);
    row(above_, kTop);
    row(below_, below_y);
    for (const explain::MapNetwork* network : drawn_)
      for (const std::size_t i : nodes_of(*network)) ++placed_[i]->legs;
    int deepest = 0;
    for (const explain::MapTunnel& t : map_.tunnels)
      if (placed_[t.from] && placed_[t.to]) deepest = std::max(deepest, depth(t));
    height_ = below_y + kBoxHeight +
              (deepest == 0 ? kTop : deepest * 3 / 4 + kTop);  // a curve comes three quarters of the way to its control points
  }

  void row(const std::vector<std::size_t>& nodes, int y) {
    const int used = static_cast<int>(nodes.size()) * (kBox + kGap) - kGap;
    int x = (width_ - used) / 2;
    for (const std::size_t i : nodes) {
      placed_[i]->x = x;
      placed_[i]->y = y;
      x += kBox + kGap;
    }
  }

  int depth(const explain::MapTunnel& t) const { return 50 + std::min(170, std::abs(placed_[t.from]->x - placed_[t.to]->x) / 6); }

  std::string tunnels() const {
    std::string out;
    for (const explain::MapTunnel& t : map_.tunnels) {
      if (!placed_[t.from] || !placed_[t.to]) continue;
      const int y = placed_[t.from]->y + kBoxHeight, from = placed_[t.from]->x + kBox / 2, to = placed_[t.to]->x + kBox / 2,
                below = std::max(y, placed_[t.to]->y + kBoxHeight) + depth(t);
      const std::string a = escape_html(map_.nodes[t.from].name), b = escape_html(map_.nodes[t.to].name);
      out += fmt::format("<path class=\"tunnel{}\" data-ends=\"{} {}\" d=\"M{} {}C{} {} {} {} {} {}\"><title>{}</title></path>\n",
                         t.bidirectional ? "" : " one-way", t.from, t.to, from, y, from, below, to, below, to,
                         placed_[t.to]->y + kBoxHeight,
                         fmt::format("{} tunnel, {} \xe2\x80\x93 {}{}", escape_html(t.type), a, b,
                                     t.bidirectional ? "" : ": of one end only a port is shown"));
    }
    return out;
  }

  std::string networks() {
    std::string out, names;  // names above the lines of other networks
    int y = bars_y_;
    for (const explain::MapNetwork* network : drawn_) {
      int first = width_, last = 0;
      std::string legs;
      for (const std::size_t i : nodes_of(*network)) {
        BoxLayout& p = *placed_[i];
        const int x = p.x + static_cast<int>(static_cast<std::size_t>(kBox) * ++p.drawn / (p.legs + 1));
        const int end = p.y < y ? p.y + kBoxHeight : p.y;
        legs += fmt::format(
            "<path class=\"leg\" data-ends=\"{}\" d=\"M{} {}V{}\"><title>{}</title></path><circle class=\"dot\" cx=\"{}\" "
            "cy=\"{}\" r=\"4\"/>\n",
            i, x, end, y, escape_html(ports_of(*network, i)), x, y);
        first = std::min(first, x);
        last = std::max(last, x);
      }
      out += fmt::format("<path class=\"net\" d=\"M{0} {1}H{2}\"/>", first, y, last) + legs;
      names += fmt::format("<text class=\"sub net-name\" x=\"{}\" y=\"{}\">{}</text>\n", first + 7, y - 5,
                           escape_html(network->prefix));
      y += kBar;
    }
    return out + names;
  }

  std::string ports_of(const explain::MapNetwork& network, std::size_t node) const {
    std::string text = map_.nodes[node].name;
    for (const auto& port : network.ports)
      if (port.node == node) text += fmt::format(", {} {}", port.device, port.address);
    return text;
  }

  std::string box(std::size_t i) const {
    const MapNode& m = map_.nodes[i];
    const BoxLayout& p = *placed_[i];
    std::string classes = m.is_cluster_node ? "node" : "outer";
    if (!m.has_dumps || m.presumed) classes += " undumped";
    if (is_troubled(m)) classes += " troubled";
    std::string second = !m.has_dumps        ? "no dumps"
                         : m.presumed        ? "host presumed"
                         : m.is_cluster_node ? counted(m.pods, "pod")
                                             : fmt::format("{}", fmt::join(m.roles, ", "));
    const std::string third = !m.egress.empty()
                                  ? m.egress.front() + (m.egress.size() > 1 ? fmt::format(" +{}", m.egress.size() - 1) : "")
                              : m.addresses.empty() ? ""
                                                    : m.addresses.front();
    const std::string name = escape_html(m.name);
    std::string out = fmt::format(
        "<g class=\"{}\" data-node=\"{}\" tabindex=\"0\" role=\"button\" aria-pressed=\"false\" "
        "aria-label=\"{}\"><title>{}</title>"
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\"/>",
        classes, i, name, name, p.x, p.y, kBox, kBoxHeight);
    out += fmt::format(
        "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{2}</text><text class=\"sub\" x=\"{0}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>"
        "<text class=\"sub\" x=\"{0}\" y=\"{5}\" text-anchor=\"middle\">{6}</text>",
        p.x + kBox / 2, p.y + 22, escape_html(shortened(m.name, 20)), p.y + 39, escape_html(second), p.y + 55,
        escape_html(shortened(third, 24)));
    if (!m.egress.empty()) out += fmt::format("<circle class=\"badge\" cx=\"{}\" cy=\"{}\" r=\"5\"/>", p.x + kBox - 10, p.y + 11);
    return out + "</g>\n";
  }

  const Report& report_;
  const ClusterMap& map_;
  std::vector<std::size_t> above_, below_;
  std::vector<std::optional<BoxLayout>> placed_;
  std::vector<const explain::MapNetwork*> drawn_;
  int width_ = 0, height_ = 0, bars_y_ = 0;
  std::size_t left_out_ = 0;
};

std::string about(const Report& report, std::size_t index, EvidenceBook& book) {
  const ClusterMap& map = *report.map;
  const MapNode& m = map.nodes[index];
  std::string out = fmt::format("<div class=\"about-node\" data-about=\"{}\">\n<h3>{}</h3>\n<dl class=\"facts\">\n", index,
                                escape_html(m.name));
  const auto fact = [&](std::string_view name, const std::string& html) {
    if (!html.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
  };
  fact("roles", escape_html(fmt::format("{}", fmt::join(m.roles, ", "))));
  if (!m.has_dumps) fact("dumps", "none: an object of the cluster names it");
  if (m.presumed) fact("host", "presumed: no dump has its network stack");
  for (const explain::MapNetwork& network : map.networks)
    for (const auto& port : network.ports)
      if (port.node == index) fact(escape_html(network.prefix), escape_html(fmt::format("{} {}", port.device, port.address)));
  for (const std::string& egress : m.egress) fact("egress", escape_html(egress));
  if (m.is_cluster_node) fact("pods", fmt::format("{}", m.pods));
  if (report.triage != nullptr)
    for (std::size_t f = 0; f < report.triage->findings.size(); ++f) {
      const assess::Finding& finding = report.triage->findings[f];
      if (finding.node == m.name || std::find(finding.nodes.begin(), finding.nodes.end(), m.name) != finding.nodes.end())
        fact("finding", fmt::format("<a href=\"#finding-{}\">{}</a>", f + 1, escape_html(finding.id)));
    }
  out += "</dl>\n";
  std::string tunnels;
  for (const explain::MapTunnel& t : map.tunnels)
    if (t.from == index || t.to == index)
      tunnels +=
          fmt::format("<details class=\"hop\"><summary>{} tunnel to {}{}</summary><div class=\"inside\">\n{}</div></details>\n",
                      escape_html(t.type), escape_html(map.nodes[t.from == index ? t.to : t.from].name),
                      t.bidirectional ? "" : " <span class=\"soft small\">a port at one end only</span>", book.lines(t.evidence));
  out += tunnels;
  if (report.rows != nullptr)
    out +=
        fmt::format("<p><button class=\"script\" hidden type=\"button\" data-filter=\"{}\">Filter the audit by it</button></p>\n",
                    escape_html(m.name));
  return out + "</div>\n";
}

}  // namespace

std::string map_part(const Report& report, EvidenceBook& book) {
  const ClusterMap& map = *report.map;
  constexpr std::size_t kMostAbout = 200;
  Plan plan(report);
  const std::string drawn = plan.print();
  std::string out = "<section data-part=\"map\">\n" + heading("map", "Topology", map.nodes.size());
  out +=
      "<p class=\"soft small\">Networks are drawn where several nodes have an address of them, tunnels as arcs. A dot marks "
      "what leaves the cluster by a node, a broken frame "
      "a node without dumps of its host, a red one findings. Choose a node for what is known of it.</p>\n";
  if (plan.left_out() > 0) out += fmt::format("<p>{} more are not drawn.</p>\n", counted(plan.left_out(), "node"));
  out += drawn;
  for (std::size_t i = 0; i < std::min(map.nodes.size(), kMostAbout); ++i) out += about(report, i, book);
  return out + "</section>\n";
}

}  // namespace egt::render::report
