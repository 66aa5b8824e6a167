// What is said of the paths that the dumps predict for a flow.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "forecast.h"
#include "remark.h"

namespace egt::explain::capture_study {

class Prediction {
 public:
  // `receiver`: the destination as the sender has it.
  Prediction(const Forecast& forecast, std::string receiver) : forecast_(forecast), receiver_(std::move(receiver)) {}

  // Of flows that fare as predicted.
  std::vector<FlowStatement> of_answered() const;
  // The path's own summary; without the sender's name where that is not known.
  std::vector<FlowStatement> summary_of(const Predicted& p) const;
  std::string stop_place(const StopReport& stop) const;
  FlowRemark why_none() const { return forecast_.is_not_walked() ? FlowRemark::path_not_computed : FlowRemark::path_not_shown; }

 private:
  std::string why_not_answered() const;

  const Forecast& forecast_;
  std::string receiver_;
};

}  // namespace egt::explain::capture_study
