// What of a snapshot cannot be read, and what that does to answers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "egtrace/parsers/snapshot.h"
#include "snapshot/discover.h"
#include "support/pack.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using egt::testing::pack;
using egt::testing::TemporaryDirectory;

constexpr const char* kReadRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";

// What is missing of a directory with a dump and this file beside it.
std::vector<std::string> missing_beside(const std::string& name, const std::string& bytes) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kReadRules);
  d.file(name, bytes);
  const auto snapshot = open_snapshot({d.path(), {}, 1});
  EXPECT_TRUE(snapshot);
  return snapshot ? snapshot->collection.missing : std::vector<std::string>{};
}

TEST(Missing, EncryptedMembers) {
  EXPECT_EQ(std::vector<std::string>{"a.zip: 2 of its members are encrypted and not read; unpack it with its password first"},
            missing_beside("a.zip", pack({{"x", "text"}, {"y", "text"}}, "", "encrypted zip")));
  EXPECT_TRUE(missing_beside("a.zip", pack({{"x", "text"}}, "", "zip")).empty());
}

TEST(Missing, ArchivesInTooManyArchives) {
  std::string bytes = pack({{"dump", kReadRules}});
  for (int i = 0; i < 12; ++i) bytes = pack({{"in", bytes}});
  EXPECT_EQ(std::vector<std::string>{"a/in/in/in/in/in/in: not read: more than 5 archives in one another; unpack it first"},
            missing_beside("a", bytes));
}

TEST(Missing, BytesBehindTheEnd) {
  const std::string gzip = pack({{"", kReadRules}}, "gz", "raw");
  EXPECT_EQ(
      std::vector<std::string>{"ip_rule.gz: bytes behind the end of the gzip data are no gzip data and not read; copy it again"},
      missing_beside("ip_rule.gz", gzip + "garbage"));
  EXPECT_TRUE(missing_beside("ip_rule.gz", gzip + std::string(512, '\0')).empty());
  EXPECT_TRUE(missing_beside("ip_rule.gz", gzip + gzip).empty());
}

TEST(Missing, ArchivesThatEndEarly) {
  const std::string tar = pack({{"a", std::string(2000, 'x')}, {"b", std::string(20000, 'x')}, {"c", "x"}});
  const std::vector<std::string> missing = missing_beside("t.tar", tar.substr(0, 9000));
  ASSERT_EQ(1U, missing.size());
  EXPECT_TRUE(missing[0].starts_with("t.tar: cut short after 2 members: ")) << missing[0];
}

TEST(Missing, MembersBeyondTheLimit) {
  const TemporaryDirectory d;
  DiscoverOptions options;
  options.limits.archive_entries = 2;
  const auto found = discover(d.file("t.tar", pack({{"a", "x"}, {"b", "x"}, {"c", "x"}, {"d", "x"}})), options);
  ASSERT_TRUE(found);
  EXPECT_EQ(2U, found->files.size());
  ASSERT_EQ(1U, found->missing.size());
  EXPECT_NE(std::string::npos, found->missing[0].find("more than 2 members in archives; the rest was not read"))
      << found->missing[0];
}

TEST(Missing, NothingIsProvenWithoutIt) {
  const TemporaryDirectory d;
  const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
  ASSERT_EQ(0, egt::testing::run({"cp", "-r", sample, d.path() + "/dumps"}).status);
  const auto explain = [&] {
    return egt::testing::run(
        {EGTRACE_BINARY, "explain", d.path() + "/dumps", "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80"});
  };
  const std::string whole = explain().out;
  egt::testing::write_file(d.path() + "/dumps/more.zip", pack({{"x", "text"}}, "", "encrypted zip"));
  const egt::testing::Ran ran = explain();
  EXPECT_NE(std::string::npos, ran.out.find("(assumed)")) << ran.out;
  EXPECT_EQ(whole.substr(0, whole.find(' ')), ran.out.substr(0, ran.out.find(' ')));
  EXPECT_NE(std::string::npos, ran.out.find("nothing that was not read of the snapshot matters here: more.zip")) << ran.out;
  EXPECT_EQ("egtrace: more.zip: 1 of its members is encrypted and not read; unpack it with its password first\n", ran.err);
}

}  // namespace
}  // namespace egt::parsers
