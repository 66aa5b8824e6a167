#include "difference/consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "difference/inventory.h"
#include "egtrace/base/text.h"

namespace egt::assess {
namespace {

constexpr std::size_t kMostWalked = 200;  // paths that are walked again; of others what decided them must do

using LinePosition = std::pair<std::string, std::uint32_t>;  // dump and line

// Of several differences that a path met the first of the topic that is nearest to what people write.
int rank_of(const std::string& topic) {
  if (topic == "northbound") return 0;
  if (topic == "logical flows") return 1;
  return topic == "flows" ? 3 : 2;
}

class CauseFinder {
 public:
  CauseFinder(Differences& differences, const std::vector<Trail>& trails, const explain::Explainer& before,
              const explain::Explainer& after)
      : all_(differences.all), trails_(trails), before_(before), after_(after) {
    for (std::size_t i = 0; i < all_.size(); ++i) enter(i);
  }

  void link_flows() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].topic == "logical flows")
        for (const std::uint32_t origin : trails_[i].origins)
          if (const auto row = rows_.find({all_[i].node, origin}); row != rows_.end()) all_[i].cause = row->second;
      if (all_[i].topic == "flows" && !trails_[i].lflow.empty()) all_[i].cause = cause_of_flows(all_[i].node, trails_[i].lflow);
    }
    for (Difference& d : all_)
      if (d.cause) d.cause = root_of(*d.cause);
  }

  void link(const DifferingPath& path, bool walk) {
    const Difference& d = all_[path.difference];
    best_.reset();
    if (walk) {
      const auto then = before_.explain(path.question), now = after_.explain(path.question);
      if (then && now) part(then->paths, now->paths);
    } else {
      meet(d.evidence_before, lines_before_);
      meet(d.evidence_after, lines_after_);
    }
    if (best_) all_[path.difference].cause = root_of(*best_);
  }

 private:
  using Lines = std::map<LinePosition, std::size_t>;

  // Rows of a database share the line of their transaction: those are known by their names instead.
  void enter(std::size_t i) {
    const Difference& d = all_[i];
    if (d.topic == "logical flows") {
      lflows_.try_emplace({d.node, trails_[i].lflow}, i);
      lflows_of_datapaths_.try_emplace({d.node, d.what}, i);
    } else if (d.topic == "northbound") {
      for (const std::uint32_t origin : trails_[i].origins) rows_.try_emplace({d.node, origin}, i);
      for (const std::string& set : trails_[i].address_sets) sets_.try_emplace({d.node, set}, i);
    } else if (d.topic != "paths" && d.topic != "objects") {
      enter(trails_[i].before, before_.cluster(), i, lines_before_);
      enter(trails_[i].after, after_.cluster(), i, lines_after_);
      if (!trails_[i].lflow.empty()) flows_of_lflows_.try_emplace({d.node, trails_[i].lflow}, i);
    }
  }
  static void enter(const std::vector<Provenance>& from, const cluster::Cluster& cluster, std::size_t i, Lines& lines) {
    for (const Provenance& p : from)
      if (p.known()) lines.try_emplace({cluster.sources->path_of(p.source), p.line}, i);
  }

  // Their logical flow, or a set of addresses that it names.
  std::optional<std::size_t> cause_of_flows(const std::string& node, const std::string& lflow) const {
    if (const auto found = lflows_.find({node, lflow}); found != lflows_.end()) return found->second;
    for (std::size_t at = lflow.find('$'); at != std::string::npos; at = lflow.find('$', at + 1))
      if (const auto found = sets_.find({node, set_named_at(lflow, at + 1)}); found != sets_.end()) return found->second;
    return std::nullopt;
  }
  static std::string set_named_at(const std::string& match, std::size_t at) {
    const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    std::size_t end = at;
    while (end < match.size() && is_of_name(match[end])) ++end;
    return match.substr(at, end - at);
  }

  std::size_t root_of(std::size_t i) const {
    for (std::size_t steps = 0; all_[i].cause && steps < all_.size(); ++steps) i = *all_[i].cause;
    return i;
  }

  void meet(std::size_t i) {
    if (!best_ || rank_of(all_[i].topic) < rank_of(all_[*best_].topic)) best_ = i;
  }
  void meet(const explain::Evidence& evidence, const Lines& lines) {
    for (const explain::EvidenceLine& e : evidence)
      if (const auto found = lines.find({e.dump, e.line}); found != lines.end()) meet(found->second);
  }

  // What differs where the paths part is the cause; what they meet behind that differs because of it. Replies part
  // where requests do not.
  bool part(const std::vector<explain::PathReport>& then, const std::vector<explain::PathReport>& now) {
    bool parted = false;
    for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
      parted = part(then[i].hops, now[i].hops) || part(then[i].reply, now[i].reply) ||
               part(then[i].continued, now[i].continued) || parted;
    return parted;
  }
  bool part(const std::vector<explain::FollowUp>& then, const std::vector<explain::FollowUp>& now) {
    return !then.empty() && !now.empty() && part(then.front().paths, now.front().paths);
  }
  bool part(const std::vector<explain::Hop>& then, const std::vector<explain::Hop>& now) {
    const bool parted = part_at(then, now);
    // Steps of less interest may differ because one snapshot has more dumps.
    if (parted && !best_) part_at(of_interest(then), of_interest(now));
    return parted;
  }
  bool part_at(const std::vector<explain::Hop>& then, const std::vector<explain::Hop>& now) {
    const auto [a, b] = std::mismatch(then.begin(), then.end(), now.begin(), now.end(), is_same);
    if (a != then.end()) meet(*a, lines_before_);
    if (b != now.end()) meet(*b, lines_after_);
    return a != then.end() || b != now.end();
  }
  static std::vector<explain::Hop> of_interest(const std::vector<explain::Hop>& hops) {
    std::vector<explain::Hop> some;
    std::copy_if(hops.begin(), hops.end(), std::back_inserter(some), [](const explain::Hop& h) { return !h.detail; });
    return some;
  }
  // Of a cookie there may be one candidate here and several there, where one snapshot has a database and the other
  // lists.
  static bool is_same(const explain::Hop& a, const explain::Hop& b) {
    if (a.node != b.node || a.where != b.where || a.what != b.what) return false;
    if (a.lflows.empty() || b.lflows.empty()) return true;
    const explain::LflowRef &x = a.lflows.front(), &y = b.lflows.front();
    return x.stage == y.stage && trim(x.match) == trim(y.match);
  }
  void meet(const explain::Hop& hop, const Lines& lines) {
    meet(hop.evidence, lines);
    for (const explain::RowRef& row : hop.rows)
      if (const std::uint32_t origin = row.database == "NB" ? ovn::uuid_prefix(row.uuid) : 0; origin != 0)
        if (const auto found = rows_.find({hop.node, origin}); found != rows_.end()) meet(found->second);
    for (const explain::LflowRef& l : hop.lflows) {
      const std::string name = lflow_name(l.stage, l.priority, l.match);
      if (const auto found = lflows_of_datapaths_.find({hop.node, l.datapath + " " + name}); found != lflows_of_datapaths_.end())
        meet(found->second);
      if (const auto found = flows_of_lflows_.find({hop.node, name}); found != flows_of_lflows_.end()) meet(found->second);
    }
  }

  std::vector<Difference>& all_;
  const std::vector<Trail>& trails_;
  const explain::Explainer &before_, &after_;
  Lines lines_before_, lines_after_;
  std::map<std::pair<std::string, std::string>, std::size_t> lflows_, lflows_of_datapaths_, flows_of_lflows_,
      sets_;                                                           // by node and name
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> rows_;  // northbound, by node and first digits
  std::optional<std::size_t> best_;
};

}  // namespace

void find_causes(Differences& differences, const std::vector<Trail>& trails, const std::vector<DifferingPath>& paths,
                 const explain::Explainer& before, const explain::Explainer& after) {
  CauseFinder finder(differences, trails, before, after);
  finder.link_flows();
  for (std::size_t i = 0; i < paths.size(); ++i) finder.link(paths[i], i < kMostWalked);
}

}  // namespace egt::assess
