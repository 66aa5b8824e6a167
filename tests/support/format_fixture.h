// Runs the formats on texts given as strings, and holds what they say.
#pragma once

#include <deque>
#include <random>
#include <span>
#include <string>

#include "egtrace/parsers/format.h"

namespace egt::parsers {

struct Printed {
  std::string out;
  Report report;
};

class Formats {
 public:
  explicit Formats(std::span<const Format> formats) : formats_(formats) {}

  Dump dump(std::string text, std::string command = {}, bool partial = false) {
    texts_.push_back(std::move(text));
    return Dump{++sources_, "test", std::move(command), texts_.back(), 1, partial};
  }
  const Format* recognise(const Dump& dump, Recognition* how = nullptr) const {
    const Format* best = nullptr;
    int confidence = 0;
    for (const Format& f : formats_) {
      const Recognition r = f.recognise(dump);
      if (r.confidence <= confidence) continue;
      confidence = r.confidence;
      best = &f;
      if (how) *how = r;
    }
    return best;
  }
  std::string kind(const Dump& dump) const {
    const Format* f = recognise(dump);
    return f ? std::string(f->kind) : "(none)";
  }
  Printed reprint(const Dump& dump) const {
    Printed run;
    if (const Format* f = recognise(dump)) f->reprint(dump, run.out, run.report);
    return run;
  }
  std::string json(const Dump& dump) const {
    Printed run;
    if (const Format* f = recognise(dump)) f->to_json(dump, run.out, run.report);
    return run.out;
  }
  Report load(const Dump& dump, cluster::Cluster& cluster, const std::string& node = "n") const {
    Report report;
    if (const Format* f = recognise(dump)) f->load(dump, cluster, cluster.ensure_node(node), report);
    return report;
  }

  // Cut at every length, and with bytes changed: nothing may crash, and lines are kept.
  void torment(const std::string& text, const std::string& command) {
    std::mt19937 random(7);
    for (std::size_t n = 0; n <= text.size(); n += 1 + text.size() / 50) all_of(text.substr(0, n), command, true);
    for (int i = 0; i < 20; ++i) {
      std::string changed = text;
      for (int k = 0; k < 8 && !changed.empty(); ++k) changed[random() % changed.size()] = static_cast<char>(random() % 256);
      all_of(changed, command, false);
    }
  }

 private:
  void all_of(std::string text, const std::string& command, bool partial) {
    cluster::Cluster cluster;
    const Dump d = dump(std::move(text), command, partial);
    for (const Format& f : formats_) {
      f.recognise(d);
      Report report;
      std::string out;
      f.reprint(d, out, report);
      f.to_json(d, out, report);
      f.load(d, cluster, cluster.ensure_node("n"), report);
    }
  }

  std::span<const Format> formats_;
  std::deque<std::string> texts_;
  SourceId sources_ = 0;
};

}  // namespace egt::parsers
