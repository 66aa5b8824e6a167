// How far a translation may go (xlate_resubmit_resource_check() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include "xlate_context.h"

namespace egt::engine::ofproto {

class XlateLimits {
 public:
  // `deepens`: it counts against the depth of resubmits.
  void enter(bool deepens) { ++nesting_, depth_ += deepens; }
  void leave(bool deepens) { --nesting_, depth_ -= deepens; }
  void count_resubmit() { ++resubmits_; }
  // What is left not is reported; it fails the translation, or sets `exit`, where the actions got too many.
  bool resources_left(XlateContext& c, bool& exit) const;

 private:
  unsigned depth_ = 0, resubmits_ = 0;
  unsigned nesting_ = 0;  // of our own calls
};

}  // namespace egt::engine::ofproto
