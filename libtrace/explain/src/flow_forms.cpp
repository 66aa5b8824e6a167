#include "flow_forms.h"

#include "lflow_form.h"

namespace egt::explain {
namespace {

bool names_ports(std::string_view match) { return match.find_first_of("\"@") != std::string_view::npos; }

}  // namespace

std::size_t FlowForms::first_of(const std::string& form, const Placed& placed) {
  const auto [known, is_new] = by_form_.try_emplace(form, firsts_.size());
  if (is_new) firsts_.push_back(placed);
  return known->second;
}

void FlowForms::add(const ovn::LogicalFlow& flow, const std::vector<std::string_view>& datapaths) {
  form_.clear();
  append_match_form(flow.match, form_);
  form_ += '\n';
  append_action_form(flow.actions, form_);
  if (!names_ports(flow.match)) {
    uses_.push_back({&flow, first_of(form_, {&flow, datapaths.front()}), datapaths.size()});
    return;
  }
  const std::size_t end = form_.size();
  for (const std::string_view datapath : datapaths) {
    form_.resize(end);
    form_.append("\n").append(datapath);
    uses_.push_back({&flow, first_of(form_, {&flow, datapath}), 1});
  }
}

void FlowForms::append(const FlowForms& more) {
  std::vector<const std::string*> forms(more.firsts_.size());
  for (const auto& [form, first] : more.by_form_) forms[first] = &form;
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < forms.size(); ++i) firsts.push_back(first_of(*forms[i], more.firsts_[i]));
  for (const Use& use : more.uses_) uses_.push_back({use.flow, firsts[use.first], use.times});
}

}  // namespace egt::explain
