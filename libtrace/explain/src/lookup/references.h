// Which rows and logical flows of a node refer to a row: by its UUID, or to a set by its name behind '$' or '@'. Gone through
// once, as a name of many rows asks often.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::explain {

class References {
 public:
  explicit References(const cluster::Node& node);

  // In the order of the node's rows: those of OVN, then those of Open vSwitch.
  std::vector<const ovn::Row*> rows(const ovn::Row& to, const std::string& set) const;
  std::vector<const ovn::LogicalFlow*> logical_flows(const ovn::Row& to, const std::string& set) const;

 private:
  using Numbers = std::vector<std::uint32_t>;  // ascending
  using ByWord = std::unordered_map<std::string, Numbers>;
  const ovn::Row& row(std::uint32_t number) const;
  static Numbers found(const ByWord& words, const std::string& word);
  static void add_uuids(std::string_view text, std::uint32_t number, ByWord& into);
  static void add_sets(std::string_view text, std::uint32_t number, ByWord& into);

  const cluster::Node& node_;
  ByWord rows_, flows_;
};

// How matches call a row: sets by name behind '$' or '@'; empty for other rows.
std::string set_reference(const ovn::Row& row);

}  // namespace egt::explain
