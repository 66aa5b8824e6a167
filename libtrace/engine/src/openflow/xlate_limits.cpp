#include "xlate_limits.h"

namespace egt::engine::ofproto {
namespace {

constexpr unsigned kMaxDepth = 64, kMaxResubmits = 4096;
constexpr std::size_t kMaxActions = 65535, kMaxStack = 65536;
// Of our own calls, far beyond what a pipeline needs: resubmits to ever higher tables are not counted as deeper.
constexpr unsigned kMaxNesting = 1200;

}  // namespace

bool XlateLimits::resources_left(XlateContext& c, bool& exit) const {
  if (depth_ >= kMaxDepth) {
    c.report.error(Remark::too_deep, kMaxDepth);
    c.packet.error = XlateError::recursion_too_deep;
  } else if (resubmits_ >= kMaxResubmits) {
    c.report.error(Remark::too_many_resubmits, kMaxResubmits);
    c.packet.error = XlateError::too_many_resubmits;
  } else if (c.out.bytes() > kMaxActions) {
    c.report.error(Remark::too_many_actions);
    exit = true;
  } else if (c.packet.stack.size() >= kMaxStack) {
    c.report.error(Remark::stack_too_big);
    c.packet.error = XlateError::stack_too_deep;
  } else if (nesting_ >= kMaxNesting) {
    c.gap(Input::shallow_pipeline);
    c.packet.error = XlateError::recursion_too_deep;
  } else {
    return true;
  }
  return false;
}

}  // namespace egt::engine::ofproto
