#include "openflow/flow_refs.h"

#include <stdexcept>
#include <utility>

namespace egt::openflow {

void throw_damaged() { throw std::runtime_error("the index of the flows leads nowhere: it is damaged"); }

void FlowRefs::add(const FlowRef& flow, OwnedPrefixes prefixes) {
  Owned& owned = own();
  add(std::move(prefixes), owned);
  owned.flows.push_back(flow);
  flows_ = owned.flows;
}

void FlowRefs::add(std::vector<FlowRef> flows, OwnedPrefixes prefixes) {
  Owned& owned = own();
  add(std::move(prefixes), owned);
  if (owned.flows.empty()) {
    owned.flows = std::move(flows);
  } else {
    owned.flows.insert(owned.flows.end(), flows.begin(), flows.end());
  }
  flows_ = owned.flows;
}

void FlowRefs::add(OwnedPrefixes prefixes, Owned& to) {
  OwnedPrefixes& owned = to.prefixes;
  if (owned.ipv4.empty() && owned.ipv6.empty()) {
    owned = std::move(prefixes);
  } else {
    owned.merge(prefixes);
  }
  prefixes_ = owned.view();
}

FlowRefs::Owned& FlowRefs::own() {
  if (own_->flows.size() != flows_.size()) {  // they lie in a file
    if (checks_) {
      checks_->check_flows();
      checks_->check_prefixes();
      checks_.reset();
    }
    own_ = std::make_shared<Owned>(
        Owned{{flows_.begin(), flows_.end()},
              {{prefixes_.ipv4.begin(), prefixes_.ipv4.end()}, {prefixes_.ipv6.begin(), prefixes_.ipv6.end()}}});
  } else if (own_.use_count() > 1) {
    own_ = std::make_shared<Owned>(*own_);
  }
  return *own_;
}

void FlowRefs::refer_to(std::span<const FlowRef> flows, const AddressPrefixes& prefixes, PageChecks::Check check) {
  flows_ = flows;
  prefixes_ = prefixes;
  if (check) checks_ = std::make_shared<PageChecks>(std::move(check), flows_, prefixes_);
}

}  // namespace egt::openflow
