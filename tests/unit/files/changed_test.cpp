// A file that somebody cuts short while it is read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "egtrace/parsers/content.h"
#include "support/run.h"

namespace {

using egt::parsers::changed_file;
using egt::parsers::read_content;
using egt::testing::TemporaryDirectory;

constexpr std::size_t kLarge = std::size_t{4} << 20;

TEST(ChangedFile, EndsTheProgramWithOneLine) {
  const TemporaryDirectory d;
  const std::string path = d.file("flows", std::string(kLarge, 'x'));
  const auto look = [&] {
    egt::parsers::end_when_files_change(2);
    const auto content = read_content(path);
    if (!content || ::truncate(path.c_str(), 10) != 0) return;
    std::exit(static_cast<int>(std::count(content->text.begin(), content->text.end(), 'y')));
  };
  EXPECT_EXIT(look(), ::testing::ExitedWithCode(2),
              "^egtrace: .*/flows: changed while it was read; run it again once it is no longer written to\n$");
}

// Within its last page there is no fault to be seen.
TEST(ChangedFile, IsKnownWithoutAFault) {
  const TemporaryDirectory d;
  const std::string path = d.file("flows", std::string(kLarge - 100, 'x')), other = d.file("other", "y");
  const auto content = read_content(path);
  ASSERT_TRUE(content);
  EXPECT_EQ(std::nullopt, changed_file());
  ASSERT_EQ(0, ::truncate(path.c_str(), kLarge - 200));
  EXPECT_EQ(path + ": changed while it was read; run it again once it is no longer written to", changed_file());
  std::filesystem::rename(other, path);  // another file: what is mapped stays
  EXPECT_EQ(std::nullopt, changed_file());
}

TEST(ChangedFile, IsKnownOnceItIsClosed) {
  const auto look = [] {
    const TemporaryDirectory d;
    const std::string path = d.file("flows", std::string(kLarge, 'x'));
    bool cut = false;
    if (const auto content = read_content(path)) cut = ::truncate(path.c_str(), kLarge - 1) == 0;
    std::exit(cut && changed_file() ? 0 : 1);
  };
  EXPECT_EXIT(look(), ::testing::ExitedWithCode(0), "");
}

TEST(ChangedFile, HasANameThatNoTerminalObeys) {
  const TemporaryDirectory d;
  const std::string path = d.file("flows\033]0;x", std::string(kLarge, 'x'));
  const auto look = [&] {
    egt::parsers::end_when_files_change(2);
    const auto content = read_content(path);
    if (!content || ::truncate(path.c_str(), 10) != 0) return;
    std::exit(static_cast<int>(std::count(content->text.begin(), content->text.end(), 'y')));
  };
  EXPECT_EXIT(look(), ::testing::ExitedWithCode(2), "/flows.]0;x: changed while it was read");
}

TEST(ChangedFile, ASmallOneIsCopied) {
  const TemporaryDirectory d;
  const std::string path = d.file("ip_rule", std::string(5000, 'x'));
  const auto content = read_content(path);
  ASSERT_TRUE(content);
  ASSERT_EQ(0, ::truncate(path.c_str(), 0));
  EXPECT_EQ(5000, std::count(content->text.begin(), content->text.end(), 'x'));
}

TEST(ChangedFile, OtherFaultsStayFaults) {
  const TemporaryDirectory d;
  const auto fault = [] {
    egt::parsers::end_when_files_change(2);
    ::raise(SIGBUS);
    ::raise(SIGBUS);  // the first one resets the handler
  };
  EXPECT_EXIT(fault(), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
