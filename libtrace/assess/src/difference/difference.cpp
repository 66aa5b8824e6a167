#include "egtrace/assess/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "common/evidence.h"
#include "difference/consequences.h"
#include "difference/inventory.h"
#include "egtrace/assess/audit.h"
#include "phrases/differences.h"

namespace egt::assess {
namespace {

std::size_t place_of(const std::string& topic) {
  const auto& all = difference_topics();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), topic) - all.begin());
}

using Key = std::tuple<std::size_t, std::string, std::string>;  // topic, node, thing
using Values = std::vector<const InventoryLine*>;

std::map<Key, Values> by_object(const Inventory& facts) {
  std::map<Key, Values> all;
  for (const InventoryLine& f : facts.all) all[{place_of(f.scope.topic), f.scope.node, f.object()}].push_back(&f);
  return all;
}

// Those of `a` that are not in `b`, each as often as it is there more often.
Values missing_in(const Values& a, const Values& b) {
  std::map<std::string_view, std::size_t> there;
  for (const InventoryLine* f : b) ++there[f->effect()];
  Values left;
  for (const InventoryLine* f : a) {
    const auto found = there.find(f->effect());
    if (found == there.end() || found->second == 0)
      left.push_back(f);
    else
      --found->second;
  }
  return left;
}

class Comparer {
 public:
  // Of each difference that is found its trail is kept as well.
  Comparer(const cluster::Cluster& before, const cluster::Cluster& after, std::vector<Trail>& trails)
      : before_(before), after_(after), trails_(trails) {}

  void compare(const Inventory& before, const Inventory& after, Differences& out) const {
    const auto old_objects = by_object(before), new_objects = by_object(after);
    std::set<Key> keys;
    for (const auto* objects : {&old_objects, &new_objects})
      for (const auto& [key, values] : *objects) keys.insert(key);
    static const Values kNone;
    for (const Key& key : keys) {
      const auto a = old_objects.find(key), b = new_objects.find(key);
      compare(a == old_objects.end() ? kNone : a->second, b == new_objects.end() ? kNone : b->second, before, after, out);
    }
    note_not_shown(before, after, out);
  }

 private:
  // Where one side does not show everything, what it lacks may be there all the same.
  void compare(const Values& a, const Values& b, const Inventory& before, const Inventory& after, Differences& out) const {
    const InventoryLine& any = a.empty() ? *b.front() : *a.front();
    Values gone = missing_in(a, b), come = missing_in(b, a);
    const bool changed = a.size() == 1 && b.size() == 1 && names_one(any);
    if (!changed && !after.shown.contains(any.scope)) gone.clear();
    if (!changed && !before.shown.contains(any.scope)) come.clear();
    Difference d{any.scope.topic, any.scope.node, any.what, {}, {}, {}, {}};
    if (gone.empty() && come.empty()) {
      if (!order_differs(a, b)) return;
      for (const InventoryLine* f : a) d.before.push_back(f->value);
      for (const InventoryLine* f : b) d.after.push_back(f->value);
      d.what += " (order)";
      gone = a;
      come = b;
    } else {
      for (const InventoryLine* f : gone) d.before.push_back(f->value);
      for (const InventoryLine* f : come) d.after.push_back(f->value);
    }
    if (!gone.empty()) d.evidence_before = evidence(before_, {gone.front()->from});
    if (!come.empty()) d.evidence_after = evidence(after_, {come.front()->from});
    out.all.push_back(std::move(d));
    trails_.push_back(trail_of(gone, come));
  }

  static Trail trail_of(const Values& gone, const Values& come) {
    Trail trail;
    for (const auto& [values, lines] : {std::pair{&gone, &trail.before}, std::pair{&come, &trail.after}})
      for (const InventoryLine* line : *values) {
        lines->push_back(line->from);
        trail.lflow = line->lflow;
        if (line->origin != 0) trail.origins.insert(line->origin);
        if (!line->address_set.empty()) trail.address_sets.insert(line->address_set);
      }
    return trail;
  }

  // Where what is compared has one value, so that two of them are a change, even of an excerpt.
  static bool names_one(const InventoryLine& line) {
    return line.scope.topic == "objects" || line.scope.topic == "addresses" || line.value.starts_with("actions=");
  }

  // Of rules, which are asked one after the other.
  static bool order_differs(const Values& a, const Values& b) {
    return !a.empty() && a.front()->scope.topic == "rules" && a.size() == b.size() &&
           !std::equal(a.begin(), a.end(), b.begin(),
                       [](const InventoryLine* x, const InventoryLine* y) { return x->effect() == y->effect(); });
  }

  static void note_not_shown(const Inventory& before, const Inventory& after, Differences& out) {
    std::set<InventoryScope> some;
    for (const Inventory* facts : {&before, &after}) {
      some.insert(facts->shown.begin(), facts->shown.end());
      for (const InventoryLine& f : facts->all) some.insert(f.scope);
    }
    for (const InventoryScope& scope : some) {
      const bool a = before.shown.contains(scope), b = after.shown.contains(scope);
      if (a && b) continue;
      const NotShown by = a ? NotShown::by_second : b ? NotShown::by_first : NotShown::by_either;
      out.not_compared.push_back({scope.topic, scope.node, scope.part, phrase(by)});
    }
  }

  const cluster::Cluster &before_, &after_;
  std::vector<Trail>& trails_;
};

// nft shows what iptables has written: where both snapshots have iptables' own dump, once is enough.
void leave_out_copies(Inventory& before, Inventory& after) {
  for (const std::string front_end : {"iptables", "ip6tables"}) {
    const auto is_copy = [&](const InventoryScope& scope) {
      const InventoryScope own{scope.topic, scope.node, front_end};
      return scope.topic == "rules" && scope.part == as_nft_shows(front_end) && before.shown.contains(own) &&
             after.shown.contains(own);
    };
    std::set<InventoryScope> copies;
    for (const Inventory* facts : {&before, &after}) {
      std::copy_if(facts->shown.begin(), facts->shown.end(), std::inserter(copies, copies.end()), is_copy);
      for (const InventoryLine& line : facts->all)
        if (is_copy(line.scope)) copies.insert(line.scope);
    }
    for (Inventory* facts : {&before, &after}) {
      for (const InventoryScope& copy : copies) facts->shown.erase(copy);
      std::erase_if(facts->all, [&](const InventoryLine& line) { return copies.contains(line.scope); });
    }
  }
}

Inventory inventory_of_paths(const std::vector<AuditRow>& rows) {
  Inventory facts;
  const InventoryScope scope{"paths", "", ""};
  facts.shown.insert(scope);
  std::set<std::pair<std::string, std::string>> known;  // several endpoints of a service see the same
  for (const AuditRow& r : rows) {
    std::string value(name_of(r.outcome));
    if (r.source_seen) value += " as " + r.source_seen->ip;
    if (!r.egress_node.empty()) value += fmt::format(" by {} {}", r.egress_node, r.egress_device);
    if (r.outcome != explain::Outcome::answered) value += "; " + r.decided_by;
    std::string path = fmt::format("{} to {}", r.pod.empty() ? "node:" + r.node : r.namespace_ + "/" + r.pod, r.to);
    if (known.emplace(path, value).second) facts.all.push_back({scope, std::move(path), std::move(value), {}, {}, {}});
  }
  return facts;
}

const AuditRow* row_of(const std::vector<AuditRow>& rows, const Difference& d, const std::vector<std::string>& values) {
  for (const AuditRow& r : rows) {
    const Inventory one = inventory_of_paths({r});
    if (one.all.front().what == d.what && one.all.front().value == values.front()) return &r;
  }
  return nullptr;
}

// As audit() asks it.
std::optional<explain::Question> question_of(const AuditRow& row) {
  const auto from = explain::parse_point(row.pod.empty() ? "node:" + row.node : row.namespace_ + "/" + row.pod);
  const auto to = explain::parse_point(row.to);
  if (!from || !to) return std::nullopt;
  explain::Question q;
  q.from = *from;
  q.to = *to;
  q.dport = to->port;
  return q;
}

// Destinations that an audit chose for itself, and that stand for the same in another snapshot.
std::set<std::string> chosen_destinations(const std::vector<AuditRow>& rows) {
  std::set<std::string> chosen;
  for (const AuditRow& row : rows)
    if (row.to_kind != Target::other_node) chosen.insert(row.to);
  return chosen;
}

// Each snapshot has a service with few endpoints of its own: both are asked about those of the other, as far as they know them.
void ask_as_well(const explain::Explainer& snapshot, const std::set<std::string>& destinations, AuditOptions options,
                 std::vector<AuditRow>& rows) {
  const std::set<std::string> asked = chosen_destinations(rows);
  std::set_difference(destinations.begin(), destinations.end(), asked.begin(), asked.end(), std::back_inserter(options.to));
  if (options.to.empty()) return;
  auto more = audit(snapshot, options);
  if (more) std::move(more->begin(), more->end(), std::back_inserter(rows));
}

Result<std::vector<DifferingPath>> compare_paths(const explain::Explainer& before, const explain::Explainer& after,
                                                 const DifferenceOptions& options, std::vector<Trail>& trails, Differences& out) {
  AuditOptions wanted;
  wanted.to = options.to;
  wanted.namespaces = options.namespaces;
  wanted.jobs = options.jobs;
  auto a = audit(before, wanted), b = audit(after, wanted);
  if (!a) return a.error();
  if (!b) return b.error();
  if (wanted.to.empty()) {
    const std::set<std::string> of_before = chosen_destinations(*a);
    ask_as_well(before, chosen_destinations(*b), wanted, *a);
    ask_as_well(after, of_before, wanted, *b);
  }
  Differences found;
  Comparer(before.cluster(), after.cluster(), trails).compare(inventory_of_paths(*a), inventory_of_paths(*b), found);
  std::vector<DifferingPath> paths;
  for (Difference& d : found.all) {
    const AuditRow* then = d.before.empty() ? nullptr : row_of(*a, d, d.before);
    const AuditRow* now = d.after.empty() ? nullptr : row_of(*b, d, d.after);
    if (then != nullptr) d.evidence_before = then->evidence;
    if (now != nullptr) d.evidence_after = now->evidence;
    if (const AuditRow* row = then != nullptr ? then : now)
      if (auto question = question_of(*row)) paths.push_back({out.all.size(), std::move(*question)});
    out.all.push_back(std::move(d));
  }
  return paths;
}

}  // namespace

const std::vector<std::string>& difference_topics() {
  static const std::vector<std::string> kTopics = {"paths", "objects",    "addresses",     "routes",
                                                   "rules", "northbound", "logical flows", "flows"};
  return kTopics;
}

Result<Differences> compare(const explain::Explainer& before, const explain::Explainer& after, const DifferenceOptions& options) {
  const auto& given = options.topics.empty() ? difference_topics() : options.topics;
  const std::set<std::string> topics(given.begin(), given.end());
  Differences out;
  std::vector<Trail> trails;
  std::vector<DifferingPath> paths;
  if (topics.contains("paths")) {
    auto compared = compare_paths(before, after, options, trails, out);
    if (!compared) return compared.error();
    paths = std::move(*compared);
  }
  Inventory then = inventory_of(before.cluster(), topics), now = inventory_of(after.cluster(), topics);
  leave_out_copies(then, now);
  Comparer(before.cluster(), after.cluster(), trails).compare(then, now, out);
  find_causes(out, trails, paths, before, after);
  return out;
}

}  // namespace egt::assess
