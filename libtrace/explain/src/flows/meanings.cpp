#include "meanings.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

using openflow::FlowWord;
using openflow::FlowWords;

void add_once(std::vector<std::string>& all, std::string one) {
  if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
}

std::string named(const ovn::Row& row) { return fmt::format("{} {}", row.table, row_name(row)); }

}  // namespace

std::optional<std::uint64_t> number_of(const FlowWords& flow, FlowWord::Section section, std::string_view key) {
  const FlowWord* word = flow.find(section, key);
  return word != nullptr ? parse_u64(word->value) : std::nullopt;
}

// Flows of several datapaths may have one cookie: the one that the flow's metadata names.
const ovn::LogicalFlow* FlowMeanings::logical_flow(const cluster::Node& node, const FlowWords& flow) const {
  const std::uint64_t cookie = number_of(flow, FlowWord::Section::info, "cookie").value_or(0);
  const auto candidates = names_.logical_flows(node, cookie);
  if (candidates.empty()) return nullptr;
  const auto metadata = number_of(flow, FlowWord::Section::match, "metadata");
  const std::string datapath = metadata ? names_.datapath(node, *metadata) : std::string();
  const auto own =
      std::find_if(candidates.begin(), candidates.end(), [&](const ovn::LogicalFlow* f) { return f->datapath == datapath; });
  return own != candidates.end() ? *own : candidates.front();
}

FlowMeaning FlowMeanings::of(const cluster::Node& node, const ovn::LogicalFlow& lflow) const {
  FlowMeaning meaning{std::string(lflow.datapath),
                      std::string(lflow.stage),
                      fmt::format("{} => {}", lflow.match, lflow.actions),
                      std::string(lflow.uuid),
                      {},
                      {}};
  add_rows(links_.northbound_rows(node, lflow), meaning);
  return meaning;
}

FlowMeaning FlowMeanings::of(const cluster::Node& node, const FlowWords& flow) const {
  FlowMeaning meaning;
  const ovn::LogicalFlow* lflow = logical_flow(node, flow);
  if (lflow != nullptr) meaning = of(node, *lflow);
  if (const auto metadata = number_of(flow, FlowWord::Section::match, "metadata"))
    if (std::string datapath = names_.datapath(node, *metadata); !datapath.empty()) meaning.datapath = std::move(datapath);
  if (lflow != nullptr) return meaning;
  if (const auto cookie = number_of(flow, FlowWord::Section::info, "cookie"); cookie && *cookie != 0)
    add_rows(links_.southbound_rows(node, *cookie), meaning);
  return meaning;
}

void FlowMeanings::add_rows(const std::vector<const ovn::Row*>& rows, FlowMeaning& meaning) const {
  for (const ovn::Row* row : rows) {
    add_once(meaning.rows, named(*row));
    add_once(meaning.objects, to_text(links_.object_of(*row)));
  }
}

std::vector<std::string> FlowMeanings::acls(const cluster::Node& node, const ovn::LogicalFlow& flow) const {
  std::vector<std::string> acls;
  for (const ovn::Row* row : links_.northbound_rows(node, flow))
    if (row->table == "ACL") add_once(acls, row_name(*row));
  return acls;
}

std::vector<std::string> FlowMeanings::acls(const cluster::Node& node, const FlowWords& flow) const {
  const ovn::LogicalFlow* lflow = logical_flow(node, flow);
  return lflow != nullptr ? acls(node, *lflow) : std::vector<std::string>{};
}

}  // namespace egt::explain
