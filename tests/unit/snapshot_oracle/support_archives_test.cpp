// The corpus' sosreports and must-gather hold the very dumps of one scenario. Whatever they are handed over as, the
// answer is that of the plain directory, or says what is missing; however they are damaged, nothing wrong is proven.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "egtrace/explain/explainer.h"
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
  std::sort(found.begin(), found.end(), [](const Scenario& a, const Scenario& b) { return a.lab < b.lab; });
  return found;
}

struct Answer {
  bool usable = false;
  std::string verdict, confidence, source, device;
  std::size_t gaps = 0;
};

// From one pod to another on a second node, which the reports alone can prove, or to outside.
Answer ask(const std::string& snapshot, const std::string& to) {
  const auto read = parsers::open_snapshot({snapshot, {}, 2});
  if (!read) {
    EXPECT_EQ(std::string::npos, read.error().message.find('\n'));
    return {};
  }
  explain::Question question;
  question.from = *explain::parse_point("demo-egress/requester-3a");
  question.to = *explain::parse_point(to);
  const auto shown = explain::Explainer(read->cluster, &read->collection).explain(question);
  if (!shown || shown->paths.empty()) return {};
  const explain::PathReport& path = shown->paths.front();
  Answer answer{true, std::string(explain::name_of(shown->verdict)), std::string(explain::name_of(shown->confidence)), "",
                "",   shown->gaps.size() + path.gaps.size()};
  if (path.source_seen) answer.source = path.source_seen->ip;
  if (path.egress) answer.device = path.egress->node + " " + path.egress->device;
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

// Damages an archive in one of the paths in which archives come: cut, with flipped bits, or packed anew with members
// missing, reordered, renamed or garbled.
class Damage {
 public:
  Damage(std::vector<PackedFile> files, std::string filter, std::string format, unsigned seed)
      : files_(std::move(files)),
        filter_(std::move(filter)),
        format_(std::move(format)),
        whole_(pack(files_, filter_, format_)),
        random_(seed) {}

  std::string bytes() {
    switch (random_() % 5) {
      case 0: return how_ = "cut", whole_.substr(0, random_() % whole_.size());
      case 1: return how_ = "flipped", flipped(whole_);
      case 2: return how_ = "dropped", pack(dropped(), filter_, format_);
      case 3: return how_ = "renamed", pack(renamed(), filter_, format_);
      default: return how_ = "garbled", pack(garbled(), filter_, format_);
    }
  }
  const std::string& whole() const { return whole_; }
  const std::string& how() const { return how_; }

 private:
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
  std::string filter_, format_, whole_, how_;
  std::mt19937 random_;
};

// An archive to be damaged, and what lies beside it whole: a case is seldom one archive.
struct ArchiveKind {
  std::string name;  // of the file, which decides nothing
  std::vector<PackedFile> files;
  std::string filter, format;
  std::vector<PackedFile> beside;
  bool nested = false;  // it and what lies beside it are packed once more, as archives attached to a case are

  // Lays the damaged archive down; the snapshot.
  std::string lay(const std::string& bytes, const std::string& folder) const {
    if (!nested) {
      testing::write_file(folder + "/" + name, bytes);
      return beside.empty() ? folder + "/" + name : folder;
    }
    std::vector<PackedFile> all = beside;
    all.push_back({"case/" + name, bytes});
    testing::write_file(folder + "/outer", pack(all, "gz"));
    return folder + "/outer";
  }
};

std::vector<ArchiveKind> archive_kinds(const Scenario& s) {
  const std::vector<PackedFile> all = files_of(s);
  std::vector<ArchiveKind> kinds = {{"case.tar", all, "", "tar", {}},        {"case.tar.gz", all, "gz", "tar", {}},
                                    {"case.tar.xz", all, "xz", "tar", {}},   {"case.tar.zst", all, "zst", "tar", {}},
                                    {"case.tar.bz2", all, "bz2", "tar", {}}, {"case.zip", all, "", "zip", {}}};
  std::map<std::string, std::vector<PackedFile>> by_report;
  const std::vector<PackedFile> gathered = testing::files_below(s.gathered, "must-gather/");
  for (const PackedFile& file : testing::files_below(s.reports))
    by_report[file.name.substr(0, file.name.find('/'))].push_back(file);
  // One report damaged beside the other ones and the must-gather, as they are attached to a case.
  ArchiveKind report{by_report.begin()->first + ".tar.xz", by_report.begin()->second, "xz", "tar", gathered};
  for (auto it = std::next(by_report.begin()); it != by_report.end(); ++it)
    report.beside.push_back({it->first + ".tar.xz", pack(it->second, "xz")});
  ArchiveKind nested = report;
  nested.name = "nested/" + nested.name;
  nested.nested = true;
  kinds.push_back(std::move(report));
  kinds.push_back(std::move(nested));
  kinds.push_back({"must-gather.tar.gz", gathered, "gz", "tar", testing::files_below(s.reports)});
  kinds.push_back({"nested/must-gather.tar.bz2", gathered, "bz2", "tar", testing::files_below(s.reports), true});
  return kinds;
}

// EGTRACE_CASES damages of each kind of archive, one by default; EGTRACE_ARCHIVE names the only kind that is wanted.
TEST(SupportArchives, DamageProvesNothingWrong) {
  if (scenarios().empty()) GTEST_SKIP() << "no corpus";
  const char* wanted = std::getenv("EGTRACE_CASES");
  const char* only = std::getenv("EGTRACE_ARCHIVE");
  const int cases = wanted != nullptr ? std::atoi(wanted) : 1;
  const Scenario s = scenarios().front();
  const std::string to = "demo-egress/requester-2a:8080";
  const Answer plain = ask(s.plain, to);
  unsigned seed = 20260301;
  for (const ArchiveKind& kind : archive_kinds(s)) {
    ++seed;
    if (only != nullptr && !kind.name.ends_with(only)) continue;
    const TemporaryDirectory d;
    if (!kind.nested)
      for (const PackedFile& file : kind.beside) testing::write_file(d.path() + "/case/" + file.name, file.text);
    Damage damage(kind.files, kind.filter, kind.format, seed);
    std::map<std::string, std::map<std::string, int>> shown;
    for (int i = 0; i < cases; ++i) {
      const Answer answer = ask(kind.lay(damage.bytes(), d.path() + "/case"), to);
      ++shown[damage.how()][!answer.usable ? "refused" : answer.verdict + " " + answer.confidence];
      if (!answer.usable || answer.confidence != "proven") continue;
      EXPECT_EQ(plain.verdict, answer.verdict) << kind.name << " " << damage.how() << " " << i;
      EXPECT_EQ(plain.source, answer.source) << kind.name << " " << damage.how() << " " << i;
    }
    if (wanted == nullptr) continue;
    for (const auto& [how, answers] : shown)
      for (const auto& [answer, number] : answers)
        std::printf("%s %s: %s %d\n", kind.name.c_str(), how.c_str(), answer.c_str(), number);
  }
}

}  // namespace
}  // namespace egt
