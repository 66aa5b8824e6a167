// Flows between addresses that no dump distinguishes are predicted by one walk. Here each is also predicted by a walk of
// its own (captures of few flows are), and both must say the same. EGTRACE_SEED and EGTRACE_CASES choose other
// addresses and more of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

using Json = nlohmann::json;

std::uint64_t knob(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// A sample, and a place in it where packets between a known address and any other pass by.
struct PlaceCase {
  std::string sample, place, known;
  int port;
  bool known_sends;
  std::vector<std::string> near;  // addresses and networks that its dumps have
};

std::ostream& operator<<(std::ostream& out, const PlaceCase& c) { return out << c.sample << " " << c.place; }

std::string dotted(std::uint32_t a) {
  return std::to_string(a >> 24) + "." + std::to_string(a >> 16 & 255) + "." + std::to_string(a >> 8 & 255) + "." +
         std::to_string(a & 255);
}

std::uint32_t number(const std::string& text) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  std::sscanf(text.c_str(), "%u.%u.%u.%u", &a, &b, &c, &d);
  return a << 24 | b << 16 | c << 8 | d;
}

// Any address, or one that differs from a known one in few bits or by a little.
std::string some_address(const PlaceCase& c, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::uint32_t a = static_cast<std::uint32_t>(random());
  if (below(3) != 0) {
    a = number(c.near[below(c.near.size())]);
    if (below(2) == 0)
      a += static_cast<std::uint32_t>(below(13)) - 6;
    else
      a ^= static_cast<std::uint32_t>(random()) >> (below(28) + 3);
  }
  const std::uint32_t first = a >> 24;
  if (first == 0 || first == 127 || first >= 224) a = (a & 0xffffff) | 0xcb000000;  // nobody's on a wire
  return dotted(a);
}

std::string flow(const PlaceCase& c, const std::string& other, std::size_t i) {
  const std::string known = c.known + "." + (c.known_sends ? std::to_string(20000 + i) : std::to_string(c.port)),
                    end = other + "." + (c.known_sends ? std::to_string(c.port) : std::to_string(20000 + i));
  const std::string second = std::to_string(10 + i / 50 % 50), fraction = std::to_string(100000 + i % 50 * 1000);
  return "12:00:" + second + "." + fraction +
         " IP (tos 0x0, ttl 63, id 1, offset 0, flags [DF], proto TCP (6), length 60)\n    " +
         (c.known_sends ? known + " > " + end : end + " > " + known) + ": Flags [S], seq " + std::to_string(1000 + i * 1000) +
         ", win 65280, length 0\n";
}

Json study(const PlaceCase& c, const std::vector<std::string>& others, std::size_t from, std::size_t count) {
  const egt::testing::TemporaryDirectory folder;
  std::string text;
  for (std::size_t i = from; i < from + count && i < others.size(); ++i) text += flow(c, others[i], i);
  const std::string file = folder.file("capture.txt", text);
  const auto result = egt::testing::run({EGTRACE_BINARY, "pcap", std::string(EGTRACE_SOURCE_DIR) + "/samples/" + c.sample,
                                         c.place + "=" + file, "--format", "json", "-q"});
  Json flows = Json::parse(result.out, nullptr, false)["flows"];
  for (Json& f : flows)
    for (Json& seen : f["seen"]) {
      seen.erase("file");
      seen.erase("frame");
    }
  return flows;
}

class Alike : public ::testing::TestWithParam<PlaceCase> {};

TEST_P(Alike, OneWalkSaysWhatAWalkOfItsOwnSays) {
  const PlaceCase& c = GetParam();
  std::mt19937_64 random(knob("EGTRACE_SEED", 7));
  std::vector<std::string> others(knob("EGTRACE_CASES", 70));
  for (std::string& other : others) other = some_address(c, random);
  const Json together = study(c, others, 0, others.size());
  ASSERT_EQ(others.size(), together.size());
  constexpr std::size_t kFew = 50;
  for (std::size_t from = 0; from < others.size(); from += kFew) {
    const Json alone = study(c, others, from, kFew);
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].dump(1), together[from + i].dump(1)) << others[from + i];
  }
}

const PlaceCase kCases[] = {
    {"egressip-secondary",
     "master-02-demo:ovn-k8s-mp0",
     "10.133.0.9",
     80,
     true,
     {"192.168.55.13", "10.132.0.0", "192.168.99.24", "192.168.66.0", "172.21.0.0", "100.64.0.0", "169.254.0.0", "10.133.0.9"}},
    {"egressip-secondary",
     "master-03-demo:enp1s0",
     "192.168.99.25",
     22,
     false,
     {"192.168.55.13", "10.134.0.0", "192.168.99.0", "192.168.66.0", "100.88.0.0", "169.254.0.0"}},
};

INSTANTIATE_TEST_SUITE_P(Places, Alike, ::testing::ValuesIn(kCases));

// Text mentions such flows once.
TEST(AlikeText, FoldsWhatFaredAlike) {
  PlaceCase c = kCases[0];
  const egt::testing::TemporaryDirectory folder;
  std::string text;
  for (std::size_t i = 0; i < 100; ++i) text += flow(c, "203.0.113." + std::to_string(i + 10), i);
  const std::string file = folder.file("capture.txt", text);
  const auto result =
      egt::testing::run({EGTRACE_BINARY, "pcap", std::string(EGTRACE_SOURCE_DIR) + "/samples/" + c.sample, c.place + "=" + file});
  EXPECT_NE(std::string::npos, result.out.find("100 flows")) << result.out;
  EXPECT_NE(std::string::npos, result.out.find("alike         99 more, source ports 20000 to 20099, 100 receivers"))
      << result.out;
}

}  // namespace
