// Logical flows by their forms (lflow_form.h): those of one form have one number of OpenFlow flows, in any datapath where their matches
// name no ports.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/ovn/ovn.h"

namespace egt::explain {

class FlowForms {
 public:
  struct Placed {
    const ovn::LogicalFlow* flow;
    std::string_view datapath;  // one of several where its match names no ports
  };
  // Of a logical flow there are as many as of the first of its form, `times` times.
  struct Use {
    const ovn::LogicalFlow* flow;
    std::size_t first;  // in firsts()
    std::size_t times;
  };

  void add(const ovn::LogicalFlow& flow, const std::vector<std::string_view>& datapaths);
  void append(const FlowForms& more);

  const std::vector<Placed>& firsts() const { return firsts_; }
  const std::vector<Use>& uses() const { return uses_; }  // as added

 private:
  std::size_t first_of(const std::string& form, const Placed& placed);

  std::vector<Placed> firsts_;
  std::vector<Use> uses_;
  std::unordered_map<std::string, std::size_t> by_form_;
  std::string form_;
};

}  // namespace egt::explain
