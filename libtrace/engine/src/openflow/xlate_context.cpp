#include "xlate_context.h"

namespace egt::engine::ofproto {

bool XlateContext::fixed_in(OvsVersion release) const {
  // `release` names the oldest branch that got the fix and the patch level there; it came to newer branches at the same time.
  const OvsVersion& v = version();
  if (v.major != release.major) return v.major > release.major;
  return v.minor > release.minor || (v.minor == release.minor && v.patch >= release.patch);
}

}  // namespace egt::engine::ofproto
