// Groups of bridges, with their buckets and the flows and groups that lead to them.
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "lookup/flow_origins.h"
#include "lookup/parts.h"

namespace egt::explain {
namespace {

std::string type_text(const openflow::Group& group) {
  constexpr std::string_view kTypes[] = {"all", "select", "indirect", "fast failover"};
  return std::string(kTypes[static_cast<std::size_t>(group.type)]);
}

std::string bucket_text(const openflow::Bucket& bucket) {
  return fmt::format("{}{}{}", bucket.id ? fmt::format("{}: ", *bucket.id) : "",
                     bucket.weight ? fmt::format("weight {}, ", *bucket.weight) : "", bucket.actions_text);
}

// "group:12" and no more digits.
bool leads_to(std::string_view actions, const std::string& word) {
  for (std::size_t at = actions.find(word); at != std::string_view::npos; at = actions.find(word, at + 1))
    if (at + word.size() == actions.size() || !is_digit(actions[at + word.size()])) return true;
  return false;
}

}  // namespace

void find_group(const cluster::Node& node, const openflow::Bridge& bridge, const LookupTerm& term, FlowOrigins& origins,
                MatchList& matches) {
  if (!term.number || *term.number > 0xffffffff || !(term.may_be("group") || term.may_be("group_id"))) return;
  const openflow::Group* group = bridge.groups.find(static_cast<std::uint32_t>(*term.number));
  if (group == nullptr) return;
  MatchList::Facts facts = {{"bridge", bridge.name},
                            {"type", type_text(*group)},
                            {"selection method", group->selection_method},
                            {"buckets", std::to_string(group->buckets.size())}};
  for (const openflow::Bucket& bucket : group->buckets) facts.emplace_back("bucket", bucket_text(bucket));
  LookupMatch& match = matches.add("group", std::to_string(group->id), &node, std::move(facts), {group->from});
  const std::string word = fmt::format("group:{}", group->id);
  if (!bridge.flows) return;
  std::string buffer;
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i) {
    if (!leads_to(bridge.flows->line_of(i, buffer), word)) continue;
    const openflow::FlowEntry& flow = bridge.flows->flow(i);
    if (leads_to(openflow::actions_text(flow), word)) matches.use(match, origins.words(node, bridge, i), flow.from);
  }
}

}  // namespace egt::explain
