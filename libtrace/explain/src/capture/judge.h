// What became of a flow: its captured packets beside the forecast.
#pragma once

#include "egtrace/explain/capture.h"
#include "flows.h"
#include "forecast.h"

namespace egt::explain::capture_study {

// Directions that one capture of a place shows and another one of the same place does not.
void share_directions(Flow& flow);

FlowReport judge(const Flow& flow, const Forecast& forecast, const std::vector<File>& files);

}  // namespace egt::explain::capture_study
