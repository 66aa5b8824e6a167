#include "drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "rounds.h"

namespace egt::render {
namespace {

using explain::Hop;

std::string station_name(const Hop& hop) {
  if (hop.layer == "host" || hop.layer == "router") return "network stack";
  if (!hop.at.bridge.empty()) return hop.at.bridge;
  return hop.where.empty() ? hop.layer : hop.where;
}

class DrawingWriter {
 public:
  explicit DrawingWriter(const explain::PathReport& path) : way_(path) {}

  Drawing draw() {
    if (!way_.walked) return {};  // nothing leads from one line to the next
    std::size_t next = 0;
    for (std::size_t i = 0; i <= way_.hops.size(); ++i) {
      while (next < way_.sightings.size() && (way_.sightings[next].hop <= i || i == way_.hops.size()))
        pass(way_.sightings[next++]);
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
    if (hop.layer == "underlay" && hop.detail && hop.evidence.empty()) return;  // the wire between two nodes is drawn as one
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

// Puts one round for many: of steps within a station, of items within a node, of nodes.
class RoundsFolder {
 public:
  RoundsFolder(const explain::PathReport& path, Drawing drawing) : path_(path), all_(std::move(drawing.visits)) {}

  Drawing fold() {
    for (Visit& visit : all_) {
      visit.items = fold_steps(std::move(visit.items));
      visit.items = fold_items(std::move(visit.items));
    }
    return fold_visits();
  }

 private:
  static bool alike(const Hop& a, const Hop& b) {
    return a.node == b.node && a.where == b.where && a.what == b.what &&
           std::equal(a.evidence.begin(), a.evidence.end(), b.evidence.begin(), b.evidence.end(),
                      [](const explain::EvidenceLine& x, const explain::EvidenceLine& y) {
                        return x.dump == y.dump && x.line == y.line;
                      });
  }
  bool alike(const Station& a, const Station& b) const {
    return a.name == b.name && std::equal(a.hops.begin(), a.hops.end(), b.hops.begin(), b.hops.end(),
                                          [&](std::size_t i, std::size_t k) { return alike(path_.hops[i], path_.hops[k]); });
  }
  // But for the TTL.
  static bool alike(const Passing& p, const Passing& q) {
    const explain::SightingReport &a = *p.at, &b = *q.at;
    return a.device == b.device && a.in == b.in && a.src == b.src && a.dst == b.dst && a.sport == b.sport && a.dport == b.dport &&
           a.encap.has_value() == b.encap.has_value();
  }
  static bool alike(const Repeated& a, const Repeated& b) { return a.item == b.item && a.items == b.items && a.times == b.times; }
  bool alike(const DrawingItem& a, const DrawingItem& b) const {
    return a.index() == b.index() &&
           std::visit([&](const auto& one) { return alike(one, std::get<std::decay_t<decltype(one)>>(b)); }, a);
  }
  bool alike(const Visit& a, const Visit& b) const {
    return a.node == b.node && std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                                          [&](const DrawingItem& x, const DrawingItem& y) { return alike(x, y); });
  }

  // Steps that only pass a packet on follow each other without a loop.
  bool says_something(std::size_t hop) const { return !path_.hops[hop].detail; }
  bool says_something(const DrawingItem& item) const {
    const auto* station = std::get_if<Station>(&item);
    return station == nullptr ||
           std::any_of(station->hops.begin(), station->hops.end(), [&](std::size_t hop) { return says_something(hop); });
  }
  template <class Entries>
  bool are_rounds(const Rounds& r, const Entries& entries) const {
    for (std::size_t i = 0; i < r.length; ++i)
      if (says_something(entries[r.begin + i])) return true;
    return false;
  }

  static std::string name_of(const DrawingItem& item) {
    if (const auto* station = std::get_if<Station>(&item)) return station->name;
    if (const auto* passing = std::get_if<Passing>(&item))
      return fmt::format("{} {}", passing->at->device, passing->at->in ? "in" : "out");
    return std::get<Repeated>(item).from;
  }

  static std::optional<unsigned> last_ttl(const std::vector<DrawingItem>& items, std::size_t begin, std::size_t end) {
    for (std::size_t i = end; i-- > begin;)
      if (const auto* passing = std::get_if<Passing>(&items[i])) return passing->at->ttl;
    return std::nullopt;
  }

  // A station with rounds becomes one up to them, one of a round, and one behind them.
  std::vector<DrawingItem> fold_steps(std::vector<DrawingItem> items) const {
    std::vector<DrawingItem> out;
    for (DrawingItem& item : items) {
      const Station* station = std::get_if<Station>(&item);
      if (station == nullptr) {
        out.push_back(std::move(item));
        continue;
      }
      const auto& hops = station->hops;
      Station part{station->name, station->layer, {}};
      const auto end_part = [&] {
        if (!part.hops.empty()) out.push_back(part);
        part.hops.clear();
      };
      for (std::size_t i = 0; i < hops.size();) {
        const Rounds rounds = rounds_at(
            i, hops.size(), [&](std::size_t a, std::size_t b) { return alike(path_.hops[hops[a]], path_.hops[hops[b]]); });
        if (rounds.length == 0 || !are_rounds(rounds, hops)) {
          part.hops.push_back(hops[i++]);
          continue;
        }
        end_part();
        part.hops.assign(hops.begin() + static_cast<std::ptrdiff_t>(i),
                         hops.begin() + static_cast<std::ptrdiff_t>(i + rounds.length));
        end_part();
        out.push_back(Repeated{0, out.size() - 1, 0, 1, station->name, rounds.count - 1, std::nullopt});
        i = rounds.end();
      }
      end_part();
    }
    return out;
  }

  std::vector<DrawingItem> fold_items(std::vector<DrawingItem> items) const {
    std::vector<DrawingItem> out;
    for (std::size_t i = 0; i < items.size();) {
      const Rounds r = rounds_at(i, items.size(), [&](std::size_t a, std::size_t b) { return alike(items[a], items[b]); });
      const bool folds = r.length > 0 && are_rounds(r, items);
      for (const std::size_t end = folds ? i + r.length : i + 1; i < end; ++i) out.push_back(items[i]);
      if (!folds) continue;
      const std::size_t first = out.size() - r.length;
      out.push_back(Repeated{0, first, 0, r.length, name_of(out[first]), r.count - 1, last_ttl(items, r.begin, r.end())});
      i = r.end();
    }
    return out;
  }

  Drawing fold_visits() const {
    Drawing out;
    const auto again = [&](const Rounds& r) {
      const std::size_t first = out.visits.size() - r.length;
      const auto& last = all_[r.end() - 1].items;
      out.visits.back().items.push_back(
          Repeated{first, 0, r.length, 0, out.visits[first].node, r.count - 1, last_ttl(last, 0, last.size())});
    };
    show_rounds_once(
        all_.size(), [&](std::size_t a, std::size_t b) { return alike(all_[a], all_[b]); },
        [&](std::size_t i) {
          out.visits.push_back(all_[i]);
          for (DrawingItem& item : out.visits.back().items)
            if (auto* repeated = std::get_if<Repeated>(&item)) repeated->visit = out.visits.size() - 1;
        },
        again);
    return out;
  }

  const explain::PathReport& path_;
  std::vector<Visit> all_;
};

}  // namespace

Drawing draw(const explain::PathReport& path) { return RoundsFolder(path, DrawingWriter(path).draw()).fold(); }

std::string repeated_words(const Repeated& r) {
  std::string words = r.visits + r.items == 1 ? "repeated" : fmt::format("from {} to here", r.from);
  words += fmt::format(" {} more times", r.times);
  if (r.ttl) words += fmt::format(", down to ttl {}", *r.ttl);
  return words;
}

std::string packet_label(const Passing& p) {
  const explain::SightingReport& s = *p.at;
  if (p.before != nullptr && p.before->src == s.src && p.before->dst == s.dst && p.before->sport == s.sport &&
      p.before->dport == s.dport && p.before->encap.has_value() == s.encap.has_value())
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
