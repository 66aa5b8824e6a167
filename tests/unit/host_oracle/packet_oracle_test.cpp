// Random hosts and real packets: what the kernel does with each packet must be one of the ways that HostEngine walks.
//
// Bounded by default; EGTRACE_CASES: how many hosts, EGTRACE_ORACLE_SEED: the first seed, EGTRACE_ORACLE_PACKETS:
// packets a host. A host that disagrees stays in the temporary folder that the failure names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "experiment.h"

namespace egt::test {
namespace {

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

TEST(PacketOracle, AgreesWithTheKernel) {
  {
    const KernelHost try_it;
    if (!try_it.problem().empty()) GTEST_SKIP() << try_it.problem();
  }
  const unsigned hosts = number_from("EGTRACE_CASES", 10), first = number_from("EGTRACE_ORACLE_SEED", 1);
  const unsigned packets = number_from("EGTRACE_ORACLE_PACKETS", 40);
  Tally t;
  for (unsigned i = 0; i < hosts; ++i) {
    Tally one;
    Experiment(first + i, one).run(packets);
    // A frame that came late under load does not come late twice; a difference stays one.
    if (one.differ > 0) Experiment(first + i, one = {}).run(packets);
    t.add(one);
  }
  fmt::print(
      "{} packets over {} hosts: {} as the kernel ({} without a doubt, {} by one of several ways), {} open, {} differ; "
      "{} hosts "
      "refused\n",
      t.packets, t.hosts, t.agreed, t.sure, t.several, t.open, t.differ, t.refused);
  EXPECT_LE(t.refused, hosts / 2);
  EXPECT_EQ(t.differ, 0u) << t.differences;
}

}  // namespace
}  // namespace egt::test
