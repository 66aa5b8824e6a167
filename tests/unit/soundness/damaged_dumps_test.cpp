// Whatever is damaged in a dump that is not the only one of what it shows: what differs from the answer of the whole snapshot is
// not proven. Dumps are missing, cut, another node's; lines are missing, there twice, or in another place; addresses, numbers
// and flags differ. What a dump shows alone is only damaged in ways that no host would be dumped with: a listing without one of
// its rules is the listing of another host. EGTRACE_MUTATIONS sets how many dumps are damaged, EGTRACE_SEED which,
// EGTRACE_SCENARIO in which snapshot.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "answers.h"
#include "damage.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

fs::path scenario() {
  const char* other = std::getenv("EGTRACE_SCENARIO");
  return other != nullptr ? fs::path(other) : fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary";
}

TEST(DamagedDumps, ProveNothingWrong) {
  const DamagedCopy copy(scenario());
  Damager damager(copy.dumps(), number("EGTRACE_SEED", 1));
  for (unsigned i = number("EGTRACE_MUTATIONS", 12); i-- > 0;) {
    const fs::path& dump = damager.pick();
    const Damage damage = damager.damage(dump);
    copy.expect_nothing_wrong_proven(dump, damage.text ? &*damage.text : nullptr, damage.what);
  }
}

}  // namespace
}  // namespace egt::assess
