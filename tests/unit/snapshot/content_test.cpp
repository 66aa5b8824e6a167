#include "egtrace/parsers/content.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using egt::testing::TemporaryDirectory;

// Files packed by libarchive: as tar, or a single one raw, behind a filter.
std::string packed(const std::map<std::string, std::string>& files, int filter, bool tar) {
  std::vector<char> buffer(1 << 20);
  std::size_t used = 0;
  archive* a = archive_write_new();
  archive_write_add_filter(a, filter);
  if (tar) {
    archive_write_set_format_ustar(a);
  } else {
    archive_write_set_format_raw(a);
  }
  archive_write_set_bytes_in_last_block(a, 1);
  archive_write_open_memory(a, buffer.data(), buffer.size(), &used);
  for (const auto& [name, text] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    archive_write_header(a, entry);
    archive_write_data(a, text.data(), text.size());
    archive_entry_free(entry);
  }
  archive_write_close(a);
  archive_write_free(a);
  return {buffer.data(), used};
}

TEST(Content, DecompressesByContent) {
  const TemporaryDirectory d;
  for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
    const std::string path = d.file("dump", packed({{"data", "0:\tfrom all lookup local\n"}}, filter, false));
    const auto content = read_content(path);
    ASSERT_TRUE(content) << filter;
    EXPECT_EQ("0:\tfrom all lookup local\n", content->text) << filter;
    EXPECT_FALSE(content->cut);
  }
}

TEST(Content, CutStreamGivesWhatCameBefore) {
  const TemporaryDirectory d;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919) + ":\tfrom all lookup local\n";
  const std::string whole = packed({{"data", text}}, ARCHIVE_FILTER_GZIP, false);
  const auto content = read_content(d.file("cut.gz", whole.substr(0, whole.size() / 2)));
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->cut);
  EXPECT_TRUE(text.starts_with(content->text));
}

TEST(Content, LimitsHold) {
  const TemporaryDirectory d;
  ContentLimits limits;
  limits.file_bytes = 1000;
  const auto content = read_content(d.file("bomb.gz", packed({{"data", std::string(200000, 'a')}}, ARCHIVE_FILTER_GZIP, false)), limits);
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->cut);
  EXPECT_LE(content->text.size(), 1000U);
}

TEST(Content, WhatIsNoFileIsRefused) {
  EXPECT_FALSE(read_content("/dev/zero"));
  EXPECT_FALSE(read_content("/"));
  EXPECT_FALSE(read_content("/nonexistent/file"));
}

TEST(Archive, IsASnapshot) {
  const TemporaryDirectory d;
  const std::string rules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
  const std::map<std::string, std::string> files = {{"case/w1/ip_rule", rules}, {"case/w2/ip_rule", rules},
                                                    {"case/w2/../../../etc/x", "y"}};
  for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
    const auto cluster = read_snapshot({d.file("case.tar", packed(files, filter, true)), {}, 1});
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_NE(nullptr, cluster->node("w1")) << filter;
    EXPECT_NE(nullptr, cluster->node("w2")) << filter;
  }
}

TEST(Archive, CutOneGivesWhatItHas) {
  const TemporaryDirectory d;
  const std::string whole =
      packed({{"w1/ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n"}, {"w2/big", std::string(50000, 'x')}},
             ARCHIVE_FILTER_NONE, true);
  const auto cluster = read_snapshot({d.file("cut.tar", whole.substr(0, 8000)), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_NE(nullptr, cluster->node("w1"));
  EXPECT_FALSE(cluster->diagnostics.empty());
}

}  // namespace
}  // namespace egt::parsers
