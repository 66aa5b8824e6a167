#include "egtrace/host/netfilter.h"

#include <array>

namespace egt::netfilter {

ExprPtr read_of(Key key) {
  constexpr auto kKeys = static_cast<std::size_t>(Key::unknown) + 1;
  static const auto all = [] {
    std::array<ExprPtr, kKeys> made;
    for (std::size_t i = 0; i < kKeys; ++i) {
      Read read;
      read.key = static_cast<Key>(i);
      made[i] = std::make_shared<const Expr>(Expr{read});
    }
    return made;
  }();
  return all[static_cast<std::size_t>(key)];
}

}  // namespace egt::netfilter
