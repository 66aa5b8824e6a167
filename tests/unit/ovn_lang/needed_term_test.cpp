// What the text of a match shows that it needs: shown for single matches, and never against what the match means.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "egtrace/engine/logical_network.h"
#include "egtrace/packet/packet.h"
#include "egtrace/parsers/ovn_reader.h"

namespace {

using namespace egt;

constexpr std::uint32_t kDatapath = 7;

ovn::Southbound southbound() {
  ovn::Southbound sb;
  sb.datapaths.push_back({{1, 1}, kDatapath, false, {}, false, {{"name", "s"}}, {}});
  for (std::uint32_t key = 1; key <= 4; ++key) {
    ovn::sb::PortBinding port;
    port.uuid = {2, key};
    port.datapath = {1, 1};
    port.logical_port = fmt::format("p{}", key);
    port.tunnel_key = key;
    sb.ports.push_back(std::move(port));
  }
  sb.port_groups.push_back({"7_pair", {"p1", "p3"}, {}});
  return sb;
}

std::string needed(std::string_view match) {
  static const ovn::Southbound kSouthbound = southbound();
  static const parsers::ovn_lang::DatabaseReader kReader(kSouthbound);
  const auto text = [](const ovn::NeededTerm& t) {
    if (t.group != nullptr) return fmt::format("{} @{}", t.symbol->name, t.group->name());
    if (t.symbol->is_string()) return fmt::format("{} {}", t.symbol->name, t.port);
    return fmt::format("{} {:x}/{:x}", t.symbol->name, low64(t.value), low64(t.mask));
  };
  const auto terms = kReader.needed_terms(match, kDatapath);
  return !terms ? "" : text(terms->first) + (terms->second ? ", " + text(*terms->second) : "");
}

TEST(NeededTerm, IsTheComparisonThatFewestPacketsMeet) {
  EXPECT_EQ(needed("ct.new && ip4.dst == 10.0.0.1 && tcp.dst == 80"), "ip4.dst a000001/ffffffff, tcp.dst 50/ffff");
  EXPECT_EQ(needed("tcp.dst == 80 && ip"), "tcp.dst 50/ffff");
  EXPECT_EQ(needed("reg7 == 0 && ip4.dst == 10.1.0.0/16"), "ip4.dst a010000/ffff0000");  // reg7 is a part
  EXPECT_EQ(needed("ip && ip4.dst == 10.1.0.0/16"), "ip4.dst a010000/ffff0000");
  EXPECT_EQ(needed("inport == \"p1\" && eth.src == 0a:00:00:00:00:01"), "inport p1, eth.src a0000000001/ffffffffffff");
  EXPECT_EQ(needed("reg0[7] == 1 && (ip4.src == {10.0.0.1, 10.0.0.2} && outport == @pair)"), "outport @7_pair");
  EXPECT_EQ(needed("ip4.src == 10.0.0.9 && (!ct.trk || !ct.rpl)"), "ip4.src a000009/ffffffff");
}

TEST(NeededTerm, IsNoneWhereItNeedNotHold) {
  for (const char* match :
       {"1", "ip4", "ip4.dst == 10.0.0.1 || tcp", "!(ip4.dst == 10.0.0.1)", "!ip4.dst == 10.0.0.1", "ip4.dst != 10.0.0.1",
        "ip && (ip4.dst == 10.0.0.1 || ip4.dst == 10.0.0.2)", "ip4.dst == {10.0.0.1, 10.0.0.2}", "ip4.dst == $set",
        "reg0[0..3] == 5", "inport == \"a\\\"b\"", "inport == @nobody", "ip4.dst == 10.0.0.1 /* not this */ || ip",
        "ip4.dst == 10.0.0.1 == 5", "ip4.dst == 10.0.0.1 && (tcp", "ip4.dst == 10.0.0.1) && tcp", "outport == \"", "", "&&"})
    EXPECT_EQ(needed(match), "") << match;
}

// Reads all matches: nothing is indexed by its text.
class Careful : public ovn::FlowReader {
 public:
  explicit Careful(const ovn::FlowReader& reader) : reader_(reader) {}
  std::optional<ovn::Expression> read_match(std::string_view text, std::uint32_t key) const override {
    return reader_.read_match(text, key);
  }
  std::optional<ovn::ReadActions> read_actions(std::string_view text, ovn::Pipeline pipeline, std::uint8_t table) const override {
    return reader_.read_actions(text, pipeline, table);
  }

 private:
  const ovn::FlowReader& reader_;
};

using Random = std::mt19937;

std::string pick(Random& random, std::initializer_list<const char*> of) { return of.begin()[random() % of.size()]; }

std::string some_match(Random& random, unsigned depth) {
  if (depth == 0 || random() % 3 == 0)
    return pick(random, {"inport == \"p1\"", "inport == \"p2\"", "inport == @pair", "outport == @pair", "inport != \"p1\"",
                         "reg1 == 0", "reg1 == 1", "reg1 == 1/1", "reg1 == {0, 2}", "reg1[0] == 1", "ip4.dst == 10.0.0.1",
                         "ip4.dst == 10.0.0.0/31", "ip4", "!ip4", "tcp.dst == 80", "inport == \"none such\""});
  const std::string joint = pick(random, {" && ", " && ", " || "});
  std::string text;
  for (unsigned i = 0; i < 2 + random() % 2; ++i) {
    const std::string term = some_match(random, depth - 1);
    const bool bare = term.find(' ') == term.rfind(' ') || term.find_first_of("&|") == std::string::npos;
    text += (i ? joint : "") + (bare ? term : fmt::format("{}({})", pick(random, {"", "", "!"}), term));
  }
  return text;
}

FlowKey some_packet(Random& random) {
  FlowKey packet;
  packet.set(FieldId::reg14, 1 + random() % 4);
  packet.set(FieldId::reg15, 1 + random() % 4);
  packet.set(FieldId::reg1, random() % 4);
  packet.set(FieldId::eth_type, random() % 4 ? ethertype::ipv4 : ethertype::ipv6);
  packet.set(FieldId::nw_proto, ip_proto::tcp);
  packet.set(FieldId::ip_dst, 0x0a000000 + random() % 3);
  packet.set(FieldId::tp_dst, random() % 2 ? 80 : 81);
  return packet;
}

// One that is valid: ports have no order, so that not all may be negated.
std::string some_valid_match(Random& random, const ovn::FlowReader& reader) {
  for (;;) {
    std::string text = some_match(random, 3);
    if (reader.read_match(text, kDatapath)) return text;
  }
}

TEST(NeededTerm, LeavesEveryLookupAsItIs) {
  Random random(20261122);
  ovn::Southbound sb = southbound();
  const parsers::ovn_lang::DatabaseReader reader(sb);
  std::deque<std::string> texts;
  for (std::size_t i = 0; i < 600; ++i) {
    ovn::sb::LogicalFlow flow;
    flow.uuid = {3, i};
    flow.datapath = {1, 1};
    flow.table = static_cast<std::uint8_t>(i % 40);
    flow.priority = static_cast<std::uint16_t>(random() % 8);
    flow.match = texts.emplace_back(some_valid_match(random, reader));
    flow.actions = "drop;";
    sb.logical_flows.edit().push_back(flow);
  }
  const Careful careful(reader);
  const engine::LogicalNetwork indexed(sb, reader), read(sb, careful);
  const auto *a = indexed.datapaths().find("s").datapath, *b = read.datapaths().find("s").datapath;
  unsigned found = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    const FlowKey packet = some_packet(random);
    const std::uint32_t table = i % 40;
    const auto x = indexed.lookup(*a, packet, ovn::Pipeline::ingress, table);
    const auto y = read.lookup(*b, packet, ovn::Pipeline::ingress, table);
    ASSERT_EQ(x.flow ? x.flow->row : nullptr, y.flow ? y.flow->row : nullptr);
    ASSERT_EQ(x.undecided, y.undecided);
    found += x.flow != nullptr;
  }
  EXPECT_TRUE(read.unread().empty()) << read.unread().front()->match;
  EXPECT_GT(found, 1000u);
}

}  // namespace
