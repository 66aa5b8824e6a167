// Files that are written: whole or not at all, whatever happens.
#include "egtrace/parsers/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::parsers::OutputFile;
using egt::parsers::Readers;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

void write_whole(const std::string& path, const std::string& text, Readers readers = Readers::as_usual) {
  auto file = OutputFile::create(path, readers);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->write(text));
  EXPECT_EQ("", file->finish());
}

TEST(OutputFile, TakesItsNameAtTheEnd) {
  const TemporaryDirectory d;
  const std::string path = d.file("report", "old");
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    file->write("half");
    EXPECT_EQ("old", read_file(path));
  }
  EXPECT_EQ("old", read_file(path));
  EXPECT_EQ(std::vector<std::string>{"report"}, names_in(d.path()));
  write_whole(path, "new");
  EXPECT_EQ("new", read_file(path));
  EXPECT_EQ(std::vector<std::string>{"report"}, names_in(d.path()));
}

TEST(OutputFile, KeepsModesAndLinks) {
  const TemporaryDirectory d;
  const std::string path = d.file("report", "old");
  fs::permissions(path, fs::perms{0640});
  write_whole(path, "new");
  EXPECT_EQ(0640U, mode_of(path));
  write_whole(d.path() + "/s.egt", "private", Readers::owner_alone);
  EXPECT_EQ(0600U, mode_of(d.path() + "/s.egt"));
  const mode_t before = ::umask(027);
  write_whole(d.path() + "/other", "text");
  ::umask(before);
  EXPECT_EQ(0640U, mode_of(d.path() + "/other"));
  fs::create_symlink("report", d.path() + "/link");
  write_whole(d.path() + "/link", "through");
  EXPECT_TRUE(fs::is_symlink(d.path() + "/link"));
  EXPECT_EQ("through", read_file(path));
}

TEST(OutputFile, SaysWhyNot) {
  const TemporaryDirectory d;
  EXPECT_EQ(d.path() + ": cannot be written: Is a directory", OutputFile::create(d.path()).error().message);
  EXPECT_EQ(d.path() + "/none/x: cannot be written: No such file or directory",
            OutputFile::create(d.path() + "/none/x").error().message);
  auto full = OutputFile::create("/dev/full");
  ASSERT_TRUE(full);
  full->write(std::string(100000, 'x'));
  EXPECT_EQ("/dev/full: cannot be written: No space left on device", full->finish());
}

// A file system of 64 kB.
class SmallDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (egt::testing::run({"mount", "-t", "tmpfs", "-o", "size=65536", "tmpfs", disk_.path()}).status != 0)
      GTEST_SKIP() << "mount(8) of a small file system is not allowed here";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) egt::testing::run({"umount", disk_.path()});
  }
  TemporaryDirectory disk_;
  bool mounted_ = false;
};

TEST_F(SmallDisk, FullDisksLeaveTheOldFile) {
  const std::string dumps = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"compile", dumps}, {"inspect", dumps, "-vv", "--format", "json"}, {"export", dumps, "--table", "flows"}}) {
    const std::string out = disk_.file("out", "old");
    std::vector<std::string> command = {EGTRACE_BINARY};
    command.insert(command.end(), line.begin(), line.end());
    command.insert(command.end(), {"-o", out});
    const Ran ran = egt::testing::run(command);
    EXPECT_EQ(2, ran.status) << line[0];
    EXPECT_EQ("egtrace: " + out + ": cannot be written: No space left on device\n", ran.err);
    EXPECT_EQ("old", read_file(out));
    EXPECT_EQ(std::vector<std::string>{"out"}, names_in(disk_.path()));
  }
}

TEST(OutputFile, SignalsLeaveTheOldFile) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryDirectory d;
    const std::string path = d.file("report", "old");
    const auto interrupted = [&] {
      std::signal(signal, SIG_DFL);
      egt::parsers::remove_unfinished_files_on_signals();
      auto file = OutputFile::create(path);
      file->write("half");
      if (names_in(d.path()).size() == 2) ::raise(signal);
    };
    EXPECT_EXIT(interrupted(), ::testing::KilledBySignal(signal), "");
    EXPECT_EQ("old", read_file(path));
    EXPECT_EQ(std::vector<std::string>{"report"}, names_in(d.path()));
  }
}

// `ulimit -f`: a signal, unless it is ignored.
TEST(OutputFile, LimitsOfFileSizesLeaveTheOldFile) {
  const TemporaryDirectory d;
  const std::string path = d.file("report", "old");
  const Ran ran = egt::testing::run(
      {"sh", "-c",
       "ulimit -f 8; exec '" EGTRACE_BINARY "' compile -q '" EGTRACE_SOURCE_DIR "/samples/egressip-secondary' -o report"},
      "", d.path());
  EXPECT_EQ(2, ran.status);
  EXPECT_EQ("egtrace: report: cannot be written: File too large\n", ran.err);
  EXPECT_EQ("old", read_file(path));
  EXPECT_EQ(std::vector<std::string>{"report"}, names_in(d.path()));
}

TEST(OutputFile, ConcurrentCompilesDoNotMix) {
  const TemporaryDirectory d;
  const std::string elsewhere = d.file("elsewhere", "untouched");
  fs::create_symlink(elsewhere, d.path() + "/s.egt.new");  // where compile once wrote to
  const std::string compile =
      "'" EGTRACE_BINARY "' compile -q '" EGTRACE_SOURCE_DIR "/samples/egressip-secondary/master-01-demo' -o s.egt";
  const Ran ran = egt::testing::run({"sh", "-c", compile + " & " + compile + " & " + compile + "; wait"}, "", d.path());
  EXPECT_EQ(0, ran.status) << ran.err;
  EXPECT_EQ("untouched", read_file(elsewhere));
  EXPECT_EQ((std::vector<std::string>{"elsewhere", "s.egt", "s.egt.new"}), names_in(d.path()));
  EXPECT_EQ(0600U, mode_of(d.path() + "/s.egt"));
  EXPECT_EQ(0, egt::testing::run({EGTRACE_BINARY, "inspect", d.path() + "/s.egt"}).status);
}

TEST(OutputFile, NothingIsWrittenIntoASnapshot) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", "0:\tfrom all lookup local\n");
  for (const char* verb : {"inspect", "compile"}) {
    const Ran ran = egt::testing::run({EGTRACE_BINARY, verb, ".", "-o", "w1/out"}, "", d.path());
    EXPECT_EQ(2, ran.status);
    EXPECT_EQ("egtrace: w1/out: lies in the snapshot, into which nothing is written; name a file elsewhere\n", ran.err);
  }
  EXPECT_EQ(std::vector<std::string>{"ip_rule"}, names_in(d.path() + "/w1"));
}

}  // namespace
