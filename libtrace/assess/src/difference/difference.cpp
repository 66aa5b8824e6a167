#include "egtrace/assess/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "common/evidence.h"
#include "difference/inventory.h"
#include "egtrace/assess/audit.h"

namespace egt::assess {
namespace {

std::size_t place_of(const std::string& topic) {
  const auto& all = difference_topics();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), topic) - all.begin());
}

using Key = std::tuple<std::size_t, std::string, std::string>;  // topic, node, thing
using Values = std::vector<const InventoryLine*>;

std::map<Key, Values> by_thing(const Inventory& facts) {
  std::map<Key, Values> all;
  for (const InventoryLine& f : facts.all) all[{place_of(f.scope.topic), f.scope.node, f.what}].push_back(&f);
  return all;
}

// Those of `a` that are not in `b`, each as often as it is there more often.
Values missing_in(const Values& a, const Values& b) {
  std::map<std::string_view, std::size_t> there;
  for (const InventoryLine* f : b) ++there[f->value];
  Values left;
  for (const InventoryLine* f : a) {
    const auto found = there.find(f->value);
    if (found == there.end() || found->second == 0)
      left.push_back(f);
    else
      --found->second;
  }
  return left;
}

class Comparer {
 public:
  Comparer(const cluster::Cluster& before, const cluster::Cluster& after) : before_(before), after_(after) {}

  void compare(const Inventory& before, const Inventory& after, Differences& out) const {
    const auto old_things = by_thing(before), new_things = by_thing(after);
    std::set<Key> keys;
    for (const auto* things : {&old_things, &new_things})
      for (const auto& [key, values] : *things) keys.insert(key);
    static const Values kNone;
    for (const Key& key : keys) {
      const auto a = old_things.find(key), b = new_things.find(key);
      compare(a == old_things.end() ? kNone : a->second, b == new_things.end() ? kNone : b->second, before, after, out);
    }
    note_untold(before, after, out);
  }

 private:
  // Where one side does not tell everything, what it lacks may be there all the same.
  void compare(const Values& a, const Values& b, const Inventory& before, const Inventory& after,
               Differences& out) const {
    const InventoryLine& any = a.empty() ? *b.front() : *a.front();
    Values gone = missing_in(a, b), come = missing_in(b, a);
    const bool changed = a.size() == 1 && b.size() == 1 && names_one(any);
    if (!changed && !after.told.contains(any.scope)) gone.clear();
    if (!changed && !before.told.contains(any.scope)) come.clear();
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
  }

  // Where what is compared has one value, so that two of them are a change, even of an excerpt.
  static bool names_one(const InventoryLine& line) {
    return line.scope.topic == "objects" || line.scope.topic == "addresses" || line.value.starts_with("actions=");
  }

  // Of rules, which are asked one after the other.
  static bool order_differs(const Values& a, const Values& b) {
    return !a.empty() && a.front()->scope.topic == "rules" && a.size() == b.size() &&
           !std::equal(a.begin(), a.end(), b.begin(),
                       [](const InventoryLine* x, const InventoryLine* y) { return x->value == y->value; });
  }

  static void note_untold(const Inventory& before, const Inventory& after, Differences& out) {
    std::set<InventoryScope> some;
    for (const Inventory* facts : {&before, &after}) {
      some.insert(facts->told.begin(), facts->told.end());
      for (const InventoryLine& f : facts->all) some.insert(f.scope);
    }
    for (const InventoryScope& scope : some) {
      const bool a = before.told.contains(scope), b = after.told.contains(scope);
      if (a && b) continue;
      out.not_compared.push_back({scope.topic, scope.node, scope.part,
                                  a   ? "the second snapshot does not show all of them"
                                  : b ? "the first snapshot does not show all of them"
                                      : "neither snapshot shows all of them"});
    }
  }

  const cluster::Cluster &before_, &after_;
};

Inventory inventory_of_paths(const std::vector<AuditRow>& rows) {
  Inventory facts;
  const InventoryScope scope{"paths", "", ""};
  facts.told.insert(scope);
  for (const AuditRow& r : rows) {
    std::string value(name_of(r.outcome));
    if (r.source_seen) value += " as " + r.source_seen->ip;
    if (!r.egress_node.empty()) value += fmt::format(" by {} {}", r.egress_node, r.egress_device);
    facts.all.push_back({scope,
                         fmt::format("{} to {}", r.pod.empty() ? "node:" + r.node : r.namespace_ + "/" + r.pod, r.to),
                         value + (r.outcome == explain::Outcome::answered ? "" : "; " + r.decided_by),
                         {}});
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

Result<void*> compare_paths(const explain::Explainer& before, const explain::Explainer& after,
                            const DifferenceOptions& options, Differences& out) {
  AuditOptions wanted;
  wanted.to = options.to;
  wanted.namespaces = options.namespaces;
  wanted.jobs = options.jobs;
  const auto a = audit(before, wanted), b = audit(after, wanted);
  if (!a) return a.error();
  if (!b) return b.error();
  Differences paths;
  Comparer(before.cluster(), after.cluster()).compare(inventory_of_paths(*a), inventory_of_paths(*b), paths);
  for (Difference& d : paths.all) {
    if (!d.before.empty())
      if (const AuditRow* r = row_of(*a, d, d.before)) d.evidence_before = r->evidence;
    if (!d.after.empty())
      if (const AuditRow* r = row_of(*b, d, d.after)) d.evidence_after = r->evidence;
    out.all.push_back(std::move(d));
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& difference_topics() {
  static const std::vector<std::string> kTopics = {"paths", "objects",    "addresses",     "routes",
                                                   "rules", "northbound", "logical flows", "flows"};
  return kTopics;
}

Result<Differences> compare(const explain::Explainer& before, const explain::Explainer& after,
                            const DifferenceOptions& options) {
  const auto& given = options.topics.empty() ? difference_topics() : options.topics;
  const std::set<std::string> topics(given.begin(), given.end());
  Differences out;
  if (topics.contains("paths"))
    if (const auto done = compare_paths(before, after, options, out); !done) return done.error();
  Comparer(before.cluster(), after.cluster())
      .compare(inventory_of(before.cluster(), topics), inventory_of(after.cluster(), topics), out);
  return out;
}

}  // namespace egt::assess
