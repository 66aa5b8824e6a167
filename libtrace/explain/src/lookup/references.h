// Which rows and logical flows of a node refer to rows that are asked for: by their UUIDs, or to sets by name behind '$' or '@'.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::explain {

// In the order of the node: rows of OVN, then those of Open vSwitch.
struct RowUses {
  std::vector<const ovn::Row*> rows;
  std::vector<const ovn::LogicalFlow*> flows;
};

class References {
 public:
  // Goes through all rows and logical flows of the node, once for all that are asked for.
  References(const cluster::Node& node, const std::vector<const ovn::Row*>& asked);

  const RowUses& of(const ovn::Row& asked) const { return uses_.at(&asked); }

 private:
  using Asked = std::vector<std::pair<const ovn::Row*, RowUses*>>;
  using ByWord = std::unordered_map<std::string_view, Asked>;
  struct Found {
    std::vector<std::pair<RowUses*, const ovn::Row*>> rows;
    std::vector<std::pair<RowUses*, const ovn::LogicalFlow*>> flows;
  };
  void note(const ovn::Row& asked);
  void row(const ovn::Row& row, Found& found) const;
  void logical_flow(const ovn::LogicalFlow& flow, Found& found) const;
  void add(const Found& found);
  template <class Use>
  void uuids_in(std::string_view text, const Use& use) const;
  template <class Use>
  void sets_in(std::string_view text, const Use& use) const;

  std::unordered_map<const ovn::Row*, RowUses> uses_;
  ByWord by_uuid_, by_set_;
  std::unordered_map<std::string_view, Asked> by_hint_;  // first digits of the UUID of a northbound row
  std::vector<std::string> sets_;                        // which by_set_ views
};

}  // namespace egt::explain
