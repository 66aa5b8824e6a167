// Compiled snapshots: the same answers as the files that they stand for, and no trust in bytes.
#include "snapshot/compiled.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "egtrace/base/sha256.h"
#include "egtrace/openflow/flow_lookup.h"
#include "egtrace/parsers/compile.h"
#include "egtrace/parsers/snapshot.h"
#include "ovs_ofctl/compiled_parts.h"
#include "snapshot/seal_key.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFlows =
    "NXST_FLOW reply (xid=0x4):\n"
    " cookie=0x1, duration=1.5s, table=0, n_packets=7, n_bytes=0, priority=10,in_port=1 actions=resubmit(,1)\n"
    " cookie=0x2, duration=1.5s, table=1, n_packets=0, n_bytes=0, priority=20,tcp,nw_dst=10.0.0.0/8 actions=group:3\n"
    " cookie=0x3, duration=1.5s, table=1, n_packets=0, n_bytes=0, priority=20,gibberish=5 actions=drop\n"
    " cookie=0x4, duration=1.5s, table=1, n_packets=0, n_bytes=0, actions=drop\n";
constexpr const char* kGroups =
    "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n"
    " group_id=3,type=select,bucket=bucket_id:0,weight:100,actions=output:1\n"
    " group_id=4,type=select,bucket=bucket_id:0,weight:50,actions=output:2\n";

class CompiledSnapshot : public ::testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(::testing::TempDir()) / ("egt_" + std::to_string(::getpid()));
    fs::create_directories(root / "snap" / "n1");
    ::setenv("XDG_STATE_HOME", (root / "state").c_str(), 1);
    write(root / "snap/n1/ovs-ofctl_dump-flows_br-int", kFlows);
    write(root / "snap/n1/ovs-ofctl_-O_OpenFlow15_dump-groups_br-int", kGroups);
    write(root / "snap/n1/hostname", "n1\n");
    egt = (root / "s.egt").string();
    const auto done = compile_snapshot({(root / "snap").string(), {}, 0}, egt);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->files.size(), 3u);
    EXPECT_EQ(std::ranges::count_if(done->files, &CompiledEntry::indexed), 2);
    EXPECT_EQ(done->bytes, fs::file_size(egt));
  }
  void TearDown() override { fs::remove_all(root); }

  static void write(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
  std::string bytes() const {
    std::stringstream s;
    s << std::ifstream(egt, std::ios::binary).rdbuf();
    return s.str();
  }
  static Result<OpenedCompiled> open(const std::string& bytes) {
    Content content;
    content.text = bytes;
    return open_compiled(content, seal_key(Missing::leave));
  }

  fs::path root;
  std::string egt;
};

void same(const openflow::Bridge& a, const openflow::Bridge& b) {
  ASSERT_EQ(a.flows->size(), b.flows->size());
  for (openflow::FlowIndex i = 0; i < a.flows->size(); ++i) {
    const openflow::FlowEntry &x = a.flows->flow(i), &y = b.flows->flow(i);
    EXPECT_EQ(x.cookie, y.cookie);
    EXPECT_EQ(x.use.n_packets, y.use.n_packets);
    EXPECT_EQ(x.priority, y.priority);
    EXPECT_EQ(x.table, y.table);
    EXPECT_EQ(x.from.line, y.from.line);
    EXPECT_EQ(openflow::actions_text(x), openflow::actions_text(y));
    EXPECT_TRUE(std::ranges::equal(openflow::match_of(x), openflow::match_of(y)));
  }
  EXPECT_EQ(a.flows_partial, b.flows_partial);
  EXPECT_EQ(a.has_groups, b.has_groups);
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (const openflow::Group* group : a.groups.all()) {
    EXPECT_EQ(group->buckets.at(0).actions_text, b.groups.at(group->id).buckets.at(0).actions_text);
    EXPECT_EQ(group->from.line, b.groups.at(group->id).from.line);
  }
}

TEST_F(CompiledSnapshot, StandsForTheFiles) {
  const auto plain = read_snapshot({(root / "snap").string(), {}, 0});
  const auto compiled = read_snapshot({egt, {}, 0});
  ASSERT_TRUE(plain && compiled);
  ASSERT_EQ(compiled->nodes.size(), 1u);
  EXPECT_EQ(compiled->nodes[0]->name, "n1");
  same(*plain->nodes[0]->bridge("br-int"), *compiled->nodes[0]->bridge("br-int"));
  ASSERT_EQ(plain->dumps.size(), compiled->dumps.size());
  for (std::size_t i = 0; i < plain->dumps.size(); ++i) {
    const cluster::DumpInfo &x = plain->dumps[i], &y = compiled->dumps[i];
    EXPECT_EQ(x.path, y.path);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.lines, y.lines);
    EXPECT_EQ(x.understood, y.understood);
    EXPECT_EQ(x.ignored, y.ignored);
    EXPECT_EQ(x.not_understood, y.not_understood);
  }
  ASSERT_EQ(plain->diagnostics.size(), compiled->diagnostics.size());
  for (std::size_t i = 0; i < plain->diagnostics.size(); ++i)
    EXPECT_EQ(plain->diagnostics[i].message, compiled->diagnostics[i].message);
}

TEST_F(CompiledSnapshot, FindsTheSameFlows) {
  const auto plain = read_snapshot({(root / "snap").string(), {}, 0});
  const auto compiled = read_snapshot({egt, {}, 0});
  ASSERT_TRUE(plain && compiled);
  FlowKey key;
  key.set(FieldId::eth_type, ethertype::ipv4);
  key.set(FieldId::nw_proto, ip_proto::tcp);
  key.set(FieldId::ip_dst, 0x0a010203);
  key.set(FieldId::in_port, 1);
  openflow::FlowLookup of_plain(*plain->nodes[0]->bridge("br-int")->flows);
  openflow::FlowLookup of_compiled(*compiled->nodes[0]->bridge("br-int")->flows);
  for (const std::uint8_t table : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}})
    for (int again = 0; again < 20; ++again) {  // by going along the table, and by its index
      const auto a = of_plain.lookup(table, key);
      const auto b = of_compiled.lookup(table, key);
      EXPECT_EQ(a.hit, b.hit);
      EXPECT_EQ(a.ties, b.ties);
    }
}

TEST_F(CompiledSnapshot, SameFilesGiveTheSameBytes) {
  const std::string once = bytes();
  ASSERT_TRUE(compile_snapshot({(root / "snap").string(), {}, 0}, egt));
  EXPECT_EQ(bytes(), once);
}

TEST_F(CompiledSnapshot, SaysWhatItStandsFor) {
  EXPECT_NE(bytes().find(sha256(kFlows)), std::string::npos);
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(CompiledSnapshot, CutFilesAreRefused) {
  const std::string whole = bytes();
  for (std::size_t n = 8; n < whole.size(); n += 37) EXPECT_FALSE(open(whole.substr(0, n)));
}

// Each changed byte is noticed when the file is opened, or when its node is read, or lies behind the header, where nothing stands.
TEST_F(CompiledSnapshot, ChangedBytesAreNoticed) {
  const std::string whole = bytes();
  for (std::size_t at = 8; at < whole.size(); at += 11) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    write(root / "changed.egt", changed);
    try {
      if (!read_snapshot({(root / "changed.egt").string(), {}, 0})) continue;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
      continue;
    }
    EXPECT_GE(at, 80u);
    EXPECT_LT(at, 128u) << "byte " << at;
  }
}

// An index that leads past the flow that drops.
std::string forged(const std::string& text, std::string_view key) {
  std::string other = text;  // of the same size
  other.replace(other.find("priority=20,tcp"), 15, "priority=20,udp");
  const auto index_of = [](const std::string& dump) {
    const egt::testing::TemporaryDirectory d;
    d.file("n1/ovs-ofctl_dump-flows_br-int", dump);
    const auto cluster = read_snapshot({d.path(), {}, 0});
    return ofctl::compiled_flows(*cluster->nodes[0]->bridge("br-int")->flows, *cluster->sources).found;
  };
  FoundFile file;
  file.path = file.shown = "n1/ovs-ofctl_dump-flows_br-int";
  file.content.text = text;
  std::string whole;
  write_compiled({{&file, index_of(other)}}, {}, key, [&](std::string_view part) { whole += part; });
  return whole;
}

TEST_F(CompiledSnapshot, IndexesOfStrangersAreNotBelieved) {
  const std::string text =
      "NXST_FLOW reply (xid=0x4):\n cookie=0x1, duration=1.5s, table=0, n_packets=7, n_bytes=0, priority=20,tcp actions=drop\n"
      " cookie=0x2, duration=1.5s, table=0, n_packets=7, n_bytes=0, priority=10,ip actions=output:1\n";
  FlowKey key;
  key.set(FieldId::eth_type, ethertype::ipv4);
  key.set(FieldId::nw_proto, ip_proto::tcp);
  const auto cookie_of_hit = [&](std::string_view sealed_with) {
    write(root / "forged.egt", forged(text, sealed_with));
    const auto opened = read_snapshot({(root / "forged.egt").string(), {}, 0});
    if (!opened) return std::uint64_t{0};
    const openflow::FlowTables& flows = *opened->nodes[0]->bridge("br-int")->flows;
    return flows.flow(openflow::FlowLookup(flows).lookup(0, key).hit).cookie;
  };
  EXPECT_EQ(2U, cookie_of_hit(seal_key(Missing::create)));  // what a forged index does
  EXPECT_EQ(1U, cookie_of_hit("their key"));
  EXPECT_EQ(1U, cookie_of_hit(""));
}

TEST_F(CompiledSnapshot, IndexesAreBelievedWhereTheyWereMade) {
  const auto indexed = [&] {
    const auto opened = open(bytes());
    return opened ? std::ranges::count_if(opened->files, [](const FoundFile& f) { return f.compiled != nullptr; }) : -1;
  };
  EXPECT_EQ(2, indexed());
  ::setenv("XDG_STATE_HOME", (root / "elsewhere").c_str(), 1);
  EXPECT_EQ(0, indexed());
  seal_key(Missing::create);
  EXPECT_EQ(0, indexed());
  EXPECT_EQ(64U, seal_key(Missing::leave).size());
  fs::permissions(root / "elsewhere/egtrace/key", fs::perms{0644});
  EXPECT_EQ("", seal_key(Missing::leave));  // whoever may read it may seal with it
}

TEST_F(CompiledSnapshot, AnotherVersionIsNamed) {
  std::string changed = bytes();
  changed[8] = 99;
  const auto files = open(changed);
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message.find("another version"), std::string::npos);
}

}  // namespace
}  // namespace egt::parsers
