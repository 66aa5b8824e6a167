// Random matches against a naive evaluator: it follows ovn-sb(5), "Expression Language", word by word, for all values of a
// few narrow fields, and shares nothing with the parser and the index behind LogicalNetwork::lookup().
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "egtrace/engine/logical_network.h"
#include "egtrace/packet/packet.h"
#include "egtrace/parsers/ovn_reader.h"

namespace {

using namespace egt;

constexpr std::size_t kMatches = 250;  // tables of one pipeline are counted in eight bits

// A packet as this test sees it.
struct Values {
  unsigned low, high, bit, port;  // reg0[0..2], reg0[3..5], reg1[31], tcp.dst[0..1]
  unsigned type, proto;           // eth.type, ip.proto
};

struct Protocol {
  unsigned type, proto;
};
constexpr Protocol kProtocols[] = {
    {ethertype::ipv4, ip_proto::tcp}, {ethertype::ipv6, ip_proto::tcp}, {ethertype::ipv6, ip_proto::udp}, {ethertype::arp, 0}};

struct Field {
  const char* name;
  unsigned bits;
  bool needs_tcp;
};
constexpr Field kFields[] = {
    {"reg0[0..2]", 3, false}, {"reg0[3..5]", 3, false}, {"reg1[31]", 1, false}, {"tcp.dst[0..1]", 2, true}};

bool is_tcp(const Values& v) { return v.type != ethertype::arp && v.proto == ip_proto::tcp; }
unsigned value_of(const Values& v, std::size_t field) {
  const unsigned all[] = {v.low, v.high, v.bit, v.port};
  return all[field];
}

struct Constant {
  unsigned value = 0, mask = 0;
};

struct Match {
  enum class Kind { compare, range, predicate, all, any, inverted };
  Kind kind = Kind::compare;
  std::size_t field = 0;
  std::string relop;  // of a range: that of its left side; of a predicate: its name
  std::string right_relop;
  std::vector<Constant> constants;
  std::vector<Match> terms;
};

bool compare(unsigned a, const std::string& relop, unsigned b) {
  if (relop == "==") return a == b;
  if (relop == "!=") return a != b;
  if (relop == "<") return a < b;
  if (relop == "<=") return a <= b;
  if (relop == ">") return a > b;
  return a >= b;
}

// "!" goes down to the comparisons; the prerequisites that a field brings along are not negated.
bool holds(const Match& m, const Values& v, bool negated) {
  using K = Match::Kind;
  switch (m.kind) {
    case K::inverted: return holds(m.terms[0], v, !negated);
    case K::predicate:
      return m.relop == "ip4"   ? v.type == ethertype::ipv4
             : m.relop == "ip6" ? v.type == ethertype::ipv6
             : m.relop == "tcp" ? is_tcp(v)
                                : v.type != ethertype::arp;
    case K::all:
    case K::any: {
      const bool all = (m.kind == K::all) != negated;
      for (const Match& t : m.terms)
        if (holds(t, v, negated) != all) return !all;
      return all;
    }
    case K::range: {
      if (kFields[m.field].needs_tcp && !is_tcp(v)) return false;
      const unsigned a = value_of(v, m.field);
      return (compare(m.constants[0].value, m.relop, a) && compare(a, m.right_relop, m.constants[1].value)) != negated;
    }
    case K::compare: {
      if (kFields[m.field].needs_tcp && !is_tcp(v)) return false;
      bool any = false;
      for (const Constant& c : m.constants) {
        const unsigned a = value_of(v, m.field) & c.mask;
        any |= m.relop == "==" || m.relop == "!=" ? a == (c.value & c.mask) : compare(a, m.relop, c.value);
      }
      return (m.relop == "!=" ? !any : any) != negated;
    }
  }
  return false;
}

std::string text_of(const Constant& c, unsigned bits) {
  return c.mask == (1u << bits) - 1 ? fmt::format("{}", c.value) : fmt::format("{:#x}/{:#x}", c.value, c.mask);
}

std::string text_of(const Match& m) {
  using K = Match::Kind;
  const Field& f = kFields[m.field];
  switch (m.kind) {
    case K::predicate: return m.relop;
    case K::inverted: return fmt::format("!({})", text_of(m.terms[0]));
    case K::range:
      return fmt::format("{} {} {} {} {}", m.constants[0].value, m.relop, f.name, m.right_relop, m.constants[1].value);
    case K::compare: {
      std::string constants;
      for (const Constant& c : m.constants) constants += (constants.empty() ? "" : ", ") + text_of(c, f.bits);
      return fmt::format("{} {} {}", f.name, m.relop, m.constants.size() > 1 ? "{" + constants + "}" : constants);
    }
    default: {
      std::string text;
      for (const Match& t : m.terms) {
        if (!text.empty()) text += m.kind == K::all ? " && " : " || ";
        text += "(" + text_of(t) + ")";
      }
      return text;
    }
  }
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  // Predicates of nominal fields may not be inverted.
  Match match(unsigned depth = 0, bool inverted = false) {
    using K = Match::Kind;
    const unsigned choice = below(depth >= 3 ? 6 : 12);
    if (choice < 4) return comparison();
    if (choice == 4) return range();
    if (choice == 5 && inverted) return range();
    if (choice == 5) return {K::predicate, 0, one_of({"ip4", "ip6", "ip", "tcp"}), {}, {}, {}};
    Match m{choice < 8 ? K::all : choice < 10 ? K::any : K::inverted, 0, {}, {}, {}, {}};
    const unsigned terms = m.kind == K::inverted ? 1 : 2 + below(2);
    for (unsigned i = 0; i < terms; ++i) m.terms.push_back(match(depth + 1, inverted != (m.kind == K::inverted)));
    return m;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string one_of(std::vector<const char*> all) { return all[below(static_cast<unsigned>(all.size()))]; }
  Constant constant(unsigned bits, bool masked) {
    const unsigned all = (1u << bits) - 1;
    Constant c{below(all + 1), all};
    if (masked && below(3) == 0) c.mask = 1 + below(all);
    c.value &= c.mask;
    return c;
  }
  Match comparison() {
    Match m;
    m.field = below(std::size(kFields));
    m.relop = one_of({"==", "!=", "==", "<", "<=", ">", ">="});
    const bool is_equality = m.relop == "==" || m.relop == "!=";
    const unsigned count = is_equality && below(3) == 0 ? 2 + below(3) : 1;
    for (unsigned i = 0; i < count; ++i) m.constants.push_back(constant(kFields[m.field].bits, is_equality));
    return m;
  }
  Match range() {
    Match m{Match::Kind::range, below(std::size(kFields)), {}, {}, {}, {}};
    const bool up = below(2);
    m.relop = up ? one_of({"<", "<="}) : one_of({">", ">="});
    m.right_relop = up ? one_of({"<", "<="}) : one_of({">", ">="});
    for (int i = 0; i < 2; ++i) m.constants.push_back(constant(kFields[m.field].bits, false));
    return m;
  }
  std::mt19937 random_;
};

template <class Use>
void each_packet(const Use& use) {
  for (unsigned low = 0; low < 8; ++low)
    for (unsigned high = 0; high < 8; ++high)
      for (unsigned bit = 0; bit < 2; ++bit)
        for (const auto [type, proto] : kProtocols)
          for (unsigned port = 0; port < (type == ethertype::arp ? 1 : 4); ++port) use(Values{low, high, bit, port, type, proto});
}

FlowKey packet_of(const Values& v) {
  FlowKey packet;
  packet.set(FieldId::reg0, v.low | v.high << 3);
  packet.set(FieldId::reg1, v.bit << 31);
  packet.set(FieldId::eth_type, v.type);
  packet.set(FieldId::nw_proto, v.proto);
  packet.set(FieldId::tp_dst, v.port);
  return packet;
}

TEST(Expressions, AgreeWithANaiveEvaluator) {
  Generator generate(20261121);
  std::vector<Match> matches;
  ovn::Southbound southbound;
  std::deque<std::string> texts;
  southbound.datapaths.emplace_back();
  southbound.datapaths.back().uuid = {1, 1};
  for (std::size_t i = 0; i < kMatches; ++i) {
    matches.push_back(generate.match());
    ovn::sb::LogicalFlow flow;
    flow.uuid = {2, i};
    flow.datapath = {1, 1};
    flow.table = static_cast<std::uint8_t>(i);
    flow.match = texts.emplace_back(text_of(matches.back()));
    flow.actions = "drop;";
    southbound.logical_flows.edit().push_back(std::move(flow));
  }
  const parsers::ovn_lang::DatabaseReader reader(southbound);
  const engine::LogicalNetwork network(southbound, reader);
  const engine::LogicalDatapath* datapath = network.datapaths().find(ovn::Uuid{1, 1}.to_string()).datapath;
  ASSERT_NE(nullptr, datapath);
  for (std::size_t i = 0; i < kMatches; ++i) {
    unsigned wrong = 0;
    each_packet([&](const Values& v) {
      const auto found = network.lookup(*datapath, packet_of(v), ovn::Pipeline::ingress, static_cast<std::uint32_t>(i));
      wrong += (found.flow != nullptr) != holds(matches[i], v, false);
    });
    EXPECT_EQ(0u, wrong) << text_of(matches[i]);
  }
  EXPECT_TRUE(network.unread().empty()) << network.unread().front()->match;
}

}  // namespace
