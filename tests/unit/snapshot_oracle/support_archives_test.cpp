// The corpus' sosreports and must-gather hold the very dumps of one scenario. Whatever they are handed over as, the
// answer is that of the plain directory, or says what is missing; however they are damaged, nothing wrong is proven.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"
#include "egtrace/parsers/snapshot.h"
#include "support/pack.h"
#include "support/run.h"

namespace egt {
namespace {

namespace fs = std::filesystem;
using testing::pack;
using testing::PackedFile;
using testing::TemporaryDirectory;

struct Scenario {
  std::string lab, plain, reports, gathered;
};

std::vector<Scenario> scenarios() {
  std::vector<Scenario> found;
  const fs::path corpus = fs::path(EGTRACE_SOURCE_DIR) / ".." / "shared" / "corpus";
  if (!fs::exists(corpus)) return found;
  for (const auto& lab : fs::directory_iterator(corpus)) {
    const Scenario s{lab.path().string(), (lab.path() / "egressip-secondary").string(), (lab.path() / "sosreport").string(),
                     (lab.path() / "must-gather").string()};
    if (fs::exists(s.plain) && fs::exists(s.reports) && fs::exists(s.gathered)) found.push_back(s);
  }
  return found;
}

struct Answer {
  bool usable = false;
  std::string verdict, confidence, source, device;
  std::size_t gaps = 0;
};

// From one pod to another on a second node, which the reports alone can prove, or to outside.
Answer ask(const std::string& snapshot, const std::string& to) {
  const auto cluster = parsers::read_snapshot({snapshot, {}, 2});
  if (!cluster) {
    EXPECT_EQ(std::string::npos, cluster.error().message.find('\n'));
    return {};
  }
  explain::Question question;
  question.from = *explain::parse_point("demo-egress/requester-3a");
  question.to = *explain::parse_point(to);
  const auto told = explain::explain(*cluster, question);
  if (!told || told->ways.empty()) return {};
  const explain::WayReport& way = told->ways.front();
  Answer answer{true, told->verdict, told->confidence, "", "", told->gaps.size() + way.gaps.size()};
  if (way.source_seen) answer.source = way.source_seen->ip;
  if (way.egress) answer.device = way.egress->node + " " + way.egress->device;
  return answer;
}

std::vector<PackedFile> files_of(const Scenario& s) {
  std::vector<PackedFile> files = testing::files_below(s.reports, "case/sosreport/");
  for (PackedFile& file : testing::files_below(s.gathered, "case/must-gather/")) files.push_back(std::move(file));
  return files;
}

void expect_like(const Answer& plain, const Answer& other, const std::string& how) {
  ASSERT_TRUE(other.usable) << how;
  if (other.verdict == "inconclusive") {
    EXPECT_GT(other.gaps, 0U) << how;
    return;
  }
  EXPECT_EQ(plain.verdict, other.verdict) << how;
  EXPECT_EQ(plain.source, other.source) << how;
  EXPECT_EQ(plain.device, other.device) << how;
}

TEST(SupportArchives, AnswerAsThePlainDirectory) {
  if (scenarios().empty()) GTEST_SKIP() << "no corpus";
  const TemporaryDirectory d;
  for (const Scenario& s : scenarios()) {
    const std::string to = "192.168.55.13:80";
    const Answer plain = ask(s.plain, to);
    ASSERT_EQ("delivered", plain.verdict) << s.lab;
    expect_like(plain, ask(s.reports, to), s.lab + " reports");
    expect_like(plain, ask(s.gathered, to), s.lab + " must-gather");
    const std::vector<PackedFile> files = files_of(s);
    for (const char* filter : {"", "gz", "xz", "zst"}) {
      const Answer both = ask(d.file("case.tar", pack(files, filter)), to);
      expect_like(plain, both, s.lab + " both, tar " + filter);
      EXPECT_EQ("delivered", both.verdict) << s.lab << " " << filter;
    }
    const std::string inner = pack(files, "xz");
    EXPECT_EQ("delivered", ask(d.file("outer", pack({{"attached/case.tar.xz", inner}}, "gz")), to).verdict) << s.lab;
    EXPECT_EQ("delivered", ask(d.file("case.zip", pack(files, "", "zip")), to).verdict) << s.lab;
  }
}

class Damage {
 public:
  explicit Damage(std::vector<PackedFile> files) : files_(std::move(files)) {}

  std::string bytes(const std::string& filter, const std::string& format) {
    switch (random_() % 5) {
      case 0: return whole(filter, format).substr(0, random_() % whole(filter, format).size());
      case 1: return flipped(whole(filter, format));
      case 2: return pack(dropped(), "", format);
      case 3: return pack(renamed(), "", format);
      default: return pack(garbled(), "", format);
    }
  }

 private:
  const std::string& whole(const std::string& filter, const std::string& format) {
    std::string& kept = whole_[filter + format];
    if (kept.empty()) kept = pack(files_, filter, format);
    return kept;
  }
  std::string flipped(std::string bytes) {
    for (int i = 0; i < 8; ++i) bytes[random_() % bytes.size()] ^= static_cast<char>(1 << (random_() % 8));
    return bytes;
  }
  std::vector<PackedFile> dropped() {
    std::vector<PackedFile> some;
    for (const PackedFile& file : files_)
      if (random_() % 8 != 0) some.push_back(file);
    std::shuffle(some.begin(), some.end(), random_);
    return some;
  }
  std::vector<PackedFile> renamed() {
    std::vector<PackedFile> some = files_;
    for (PackedFile& file : some)
      if (random_() % 16 == 0) file.name = (random_() % 2 == 0 ? "../" : "case/") + std::to_string(random_() % 1000);
    return some;
  }
  std::vector<PackedFile> garbled() {
    std::vector<PackedFile> some = files_;
    std::string& text = some[random_() % some.size()].text;
    for (int i = 0; i < 20 && !text.empty(); ++i) text[random_() % text.size()] = static_cast<char>(random_());
    return some;
  }

  std::vector<PackedFile> files_;
  std::map<std::string, std::string> whole_;
  std::mt19937 random_{20260301};
};

// EGTRACE_CASES damages of each kind of archive, two by default.
TEST(SupportArchives, DamageProvesNothingWrong) {
  if (scenarios().empty()) GTEST_SKIP() << "no corpus";
  const char* wanted = std::getenv("EGTRACE_CASES");
  const int cases = wanted != nullptr ? std::atoi(wanted) : 2;
  const TemporaryDirectory d;
  const Scenario s = scenarios().front();
  const std::string to = "demo-egress/requester-2a:8080";
  const Answer plain = ask(s.plain, to);
  Damage damage(files_of(s));
  for (const auto& [filter, format] : {std::pair("", "tar"), std::pair("gz", "tar"), std::pair("xz", "tar"),
                                       std::pair("zst", "tar"), std::pair("", "zip")}) {
    for (int i = 0; i < cases; ++i) {
      const Answer answer = ask(d.file("damaged", damage.bytes(filter, format)), to);
      if (!answer.usable || answer.confidence != "proven") continue;
      EXPECT_EQ(plain.verdict, answer.verdict) << filter << format << " " << i;
      EXPECT_EQ(plain.source, answer.source) << filter << format << " " << i;
    }
  }
}

}  // namespace
}  // namespace egt
