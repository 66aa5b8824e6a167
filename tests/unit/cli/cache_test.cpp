// What is kept of a large snapshot for later commands.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::TemporaryDirectory;

// A sample and a file that makes it large, though nobody reads it; changed long enough ago.
std::string large_snapshot(const TemporaryDirectory& d) {
  const fs::path root = fs::path(d.path()) / "snap";
  fs::copy(EGTRACE_SOURCE_DIR "/samples/egressip-secondary", root, fs::copy_options::recursive);
  std::ofstream(root / "core").close();
  fs::resize_file(root / "core", std::uintmax_t{70} << 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  return root.string();
}

Ran ask(const TemporaryDirectory& d, const std::string& verb, const std::string& more = "", const std::string& environment = "") {
  std::vector<std::string> words = {"env", "-u", "EGTRACE_CACHE", "XDG_CACHE_HOME=" + d.path() + "/cache"};
  for (const std::string& some : {environment, EGTRACE_BINARY + (" " + verb) + " snap " + more})
    for (std::string& word : egt::testing::shell_words(some)) words.push_back(std::move(word));
  return egt::testing::run(words, "", d.path());
}

std::vector<fs::path> kept(const TemporaryDirectory& d) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(d.path() + "/cache/egtrace", failed))
    if (entry.path().extension() == ".egt") all.push_back(entry.path());
  return all;
}

// The process that compiles has its time.
bool is_kept_soon(const TemporaryDirectory& d) {
  for (int i = 0; i < 600 && kept(d).empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return !kept(d).empty();
}

TEST(Cache, IsMadeOnFirstUseAndAnswersAlike) {
  const TemporaryDirectory d;
  const std::string root = large_snapshot(d);
  const std::vector<std::string> verbs = {"triage", "audit", "lookup 10.244.1.5",
                                          "explain --from shop/cart --to 192.0.2.10:443 -vv"};
  std::vector<Ran> before;
  for (const std::string& verb : verbs) before.push_back(ask(d, verb, "--no-cache"));
  EXPECT_TRUE(kept(d).empty()) << "--no-cache keeps none";
  ask(d, "triage", "", "EGTRACE_CACHE=off");
  EXPECT_TRUE(kept(d).empty()) << "EGTRACE_CACHE=off keeps none";
  ask(d, "triage", "", "EGTRACE_CACHE=1M");
  EXPECT_TRUE(kept(d).empty()) << "what is larger than all that may be kept is not";

  ask(d, "triage");
  ASSERT_TRUE(is_kept_soon(d));
  const fs::path file = kept(d).front();
  struct stat info {};
  ASSERT_EQ(0, ::stat(file.c_str(), &info));
  EXPECT_EQ(0600U, info.st_mode & 0777U);
  ASSERT_EQ(0, ::stat(file.parent_path().c_str(), &info));
  EXPECT_EQ(0700U, info.st_mode & 0777U);
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    const Ran now = ask(d, verbs[i]);
    EXPECT_EQ(before[i].out, now.out) << verbs[i];
    EXPECT_EQ(before[i].err, now.err) << verbs[i];
    EXPECT_EQ(before[i].status, now.status) << verbs[i];
  }

  std::ofstream(fs::path(root) / "new") << "x";
  std::error_code failed;
  fs::remove(fs::path(root) / "core", failed);
  EXPECT_EQ(0, ask(d, "triage").status);
  EXPECT_EQ(1U, kept(d).size()) << "a snapshot that changed is another one, and small now";
}

}  // namespace
