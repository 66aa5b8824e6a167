// Flows as references into texts, with the prefixes of addresses that their matches look at: in memory of their own, which copies
// share until flows are added to one, or in memory of others, where a file is mapped.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"
#include "openflow/checked_at.h"
#include "openflow/page_checks.h"

namespace egt::openflow {

class FlowRefs {
 public:
  void add(const FlowRef& flow, OwnedPrefixes prefixes);
  void add(std::vector<FlowRef> flows, OwnedPrefixes prefixes);
  // Those in memory of others; there must be none so far.
  void refer_to(std::span<const FlowRef> flows, const AddressPrefixes& prefixes, PageChecks::Check check);

  std::size_t size() const { return flows_.size(); }
  std::span<const FlowRef> all() const { return flows_; }
  const FlowRef& at(FlowIndex i) const {
    if (checks_) checks_->check_flow(i);
    return checked_at(flows_, i);
  }
  const AddressPrefixes& prefixes() const {
    if (checks_) checks_->check_prefixes();
    return prefixes_;
  }

 private:
  struct Owned {
    std::vector<FlowRef> flows;
    OwnedPrefixes prefixes;
  };

  Owned& own();  // before flows are added
  void add(OwnedPrefixes prefixes, Owned& to);

  std::span<const FlowRef> flows_;                          // of own_, or in memory of others
  AddressPrefixes prefixes_;                                // likewise
  std::shared_ptr<Owned> own_ = std::make_shared<Owned>();  // which a copy may share
  std::shared_ptr<PageChecks> checks_;                      // null: nothing is to be checked
};

}  // namespace egt::openflow
