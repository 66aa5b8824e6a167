// Packets that a switch really executes against the walk that explain makes of its dumps: ports and headers of what
// leaves, packet after packet with the connections, learned flows and MAC addresses that stay behind. Skipped where Open
// vSwitch is not installed. EGTRACE_CASES=N asks for N packets, EGTRACE_SEED=N begins elsewhere, EGTRACE_PACKETS=N tries N a table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include "answering_frame.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "execution_bench.h"
#include "frame_composer.h"

namespace egt::testing {
namespace {

using engine::ChoicePoint;
using F = FieldId;

constexpr unsigned kPackets = 25, kTables = 4, kMostPaths = 2048, kShownPaths = 4, kShownTables = 50;

unsigned asked(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// Takes the options of a script, then the first; remembers how many there were.
struct ScriptedChooser : engine::Chooser {
  std::vector<std::size_t> script, sizes;
  std::size_t choose(const ChoicePoint& p) override {
    sizes.push_back(p.options.size());
    if (sizes.size() > script.size()) script.push_back(0);
    return script[sizes.size() - 1];
  }
  // False: that was the last script.
  bool next() {
    script.resize(sizes.size());
    while (!script.empty() && script.back() + 1 >= sizes[script.size() - 1]) script.pop_back();
    if (script.empty()) return false;
    ++script.back();
    sizes.clear();
    return true;
  }
};

struct Path {
  engine::NetworkState network_state;
  std::vector<SentFrame> sent;
  bool undecided = false, chosen = false;  // chosen: one of several
  engine::Record record;
};

// The first path that agrees with the switch; else the first ones of all.
struct Paths {
  std::optional<Path> agreeing;
  std::vector<Path> first;
  std::size_t count = 0;
  bool undecided = false;
};

template <class Agrees>
Paths walk(const cluster::Node& node, const BenchPort& at, const FlowKey& packet, const engine::NetworkState& network_state,
           const engine::OvsOptions& options, const Agrees& agrees) {
  engine::SwitchSessions sessions;
  Paths paths;
  ScriptedChooser chooser;
  do {
    Path path{network_state, {}, false, false, {}};
    const auto result = engine::OvsEngine(sessions, node, path.network_state, path.record, chooser, options)
                            .run(*node.bridge(at.bridge), at.number, packet);
    path.undecided = result.undecided;
    for (const engine::OvsEmission& e : result.emissions)
      if (e.kind == engine::OvsEmission::Kind::port) path.sent.push_back({e.port->name, e.packet});
    path.chosen = std::any_of(chooser.sizes.begin(), chooser.sizes.end(), [](std::size_t n) { return n > 1; });
    ++paths.count;
    paths.undecided |= path.undecided;
    if (agrees(path)) {
      paths.agreeing = std::move(path);
      return paths;
    }
    if (paths.count <= kShownPaths) paths.first.push_back(std::move(path));
  } while (chooser.next() && paths.count < kMostPaths);
  return paths;
}

// What ovs-ofctl does not print of a frame is not compared.
bool is_not_shown(F f) { return f == F::nd_reserved || f == F::nd_options_type; }
bool is_header(F f) { return f >= F::eth_src && f < F::icmp_id && !is_not_shown(f); }

std::vector<F> differing_headers(const FlowKey& a, const FlowKey& b) {
  std::vector<F> all = differing_fields(a, b);
  std::erase_if(all, [](F f) { return !is_header(f); });
  return all;
}

std::string text_of(const std::vector<SentFrame>& frames) {
  std::string text;
  for (const SentFrame& f : frames) {
    text += "  " + f.port + ":";
    for (unsigned i = static_cast<unsigned>(F::eth_src); i < static_cast<unsigned>(F::icmp_id); ++i)
      if (const U128 v = f.key.get(static_cast<F>(i)); v != 0)
        text += fmt::format(" {}={}", field(static_cast<F>(i)).name, hex(v));
    text += "\n";
  }
  return text;
}

std::string steps_of(const engine::Record& record) {
  std::string text;
  for (const engine::Step& s : record.steps) {
    if (const auto* m = std::get_if<engine::TableMatch>(&s.kind))
      text += fmt::format("    {} table {} priority {}{}\n", m->bridge, m->table, m->priority, m->learned ? " learned" : "");
    else if (const auto* g = std::get_if<engine::GroupPick>(&s.kind))
      text += fmt::format("    {} group {} bucket {}\n", g->bridge, g->group, g->bucket);
    else if (const auto* p = std::get_if<engine::LeaveBridge>(&s.kind))
      text += fmt::format("    {} output {}\n", p->bridge, p->port);
    else if (const auto* c = std::get_if<engine::CtPass>(&s.kind))
      text += fmt::format("    {} ct zone {} state {:#x}\n", c->bridge, c->zone, c->state);
  }
  return text;
}

std::string text_of(const Paths& paths) {
  std::string text;
  for (std::size_t i = 0; i < paths.first.size(); ++i)
    text +=
        fmt::format("path {} of {}:\n{}{}", i + 1, paths.count, text_of(paths.first[i].sent), steps_of(paths.first[i].record));
  return text;
}

std::string groups_of(const Configuration& c) {
  std::string text;
  for (const GeneratedGroup& g : c.groups) text += fmt::format("group {}: {}\n", g.bridge, text_of(g));
  return text;
}

// Devices of the dummy datapath send while they are down, as `ovs-ofctl show` says. Real ones refuse it (ENETDOWN).
bool is_down(const cluster::Node& node, const std::string& port) {
  const auto place = node.port(port);
  return place.port != nullptr && place.port->port_down;
}

bool assumes(const engine::Record& record, engine::Supposition what) {
  return std::any_of(record.assumptions.begin(), record.assumptions.end(),
                     [&](const engine::Assumption& a) { return a.what == what; });
}

// The switch takes an address or a port of a range by a random hash.
bool takes_of_range(const engine::Record& record) {
  return assumes(record, engine::Supposition::address_of_range) || assumes(record, engine::Supposition::port_of_range);
}

bool is_discovery(const FlowKey& key) {
  const std::uint64_t type = key.u64(F::icmpv6_type);
  return key.u64(F::eth_type) == 0x86dd && key.u64(F::nw_proto) == ip_proto::icmp6 && (type == 135 || type == 136) &&
         key.u64(F::icmpv6_code) == 0 && (key.u64(F::ip_frag) & ip_frag::later) == 0;
}

// What a packet that is made one of neighbour discovery has as payload is read as what that has there; and a flow has the address of one
// kind of option alone, that of the type.
bool is_payload(F f, const FlowKey& received, const FlowKey& sent) {
  if (f != F::nd_target && f != F::nd_sll && f != F::nd_tll && f != F::nd_reserved && f != F::nd_options_type) return false;
  constexpr std::uint64_t kSolicitation = 135;
  const bool solicits = sent.u64(F::icmpv6_type) == kSolicitation;
  return !is_discovery(received) || (f == F::nd_sll && !solicits) || (f == F::nd_tll && solicits);
}

// What the walk leaves open is not compared.
bool is_open(const engine::Record& record, F f) {
  if (f == F::ip_src || f == F::ip_dst || f == F::ipv6_src || f == F::ipv6_dst)
    return assumes(record, engine::Supposition::address_of_range);
  const Field& own = field(f);
  const bool is_port = own.word == field(F::tp_src).word && own.shift >= field(F::tp_src).shift;
  return is_port && assumes(record, engine::Supposition::port_of_range);
}

// Whether both are the same frames, in whatever order. Of frames that may be cut only ports are compared.
bool same(const FlowKey& received, std::vector<SentFrame> a, const std::vector<SentFrame>& b, const engine::Record& record,
          bool cut) {
  if (a.size() != b.size()) return false;
  for (const SentFrame& f : b) {
    const auto it = std::find_if(a.begin(), a.end(), [&](const SentFrame& g) {
      const std::vector<F> differing = differing_headers(g.key, f.key);
      return g.port == f.port && (cut || f.is_cut || std::all_of(differing.begin(), differing.end(), [&](F d) {
                                    return is_open(record, d) || is_payload(d, received, f.key);
                                  }));
    });
    if (it == a.end()) return false;
    a.erase(it);
  }
  return true;
}

// Of a random packet what can be on a wire.
std::string wire_part(const std::string& flow) {
  std::string kept;
  std::size_t at = 0;
  while (at < flow.size()) {
    const std::size_t comma = std::min(flow.find(',', at), flow.size());
    const std::string part = flow.substr(at, comma - at);
    at = comma + 1;
    static const char* const kBeside[] = {"in_port", "ct_",    "reg",  "xreg",    "xxreg",  "metadata",    "pkt_mark", "tun_",
                                          "conj",    "recirc", "skb_", "dp_hash", "actset", "packet_type", "vlan_vid"};
    if (std::any_of(std::begin(kBeside), std::end(kBeside), [&](const char* p) { return part.starts_with(p); })) continue;
    kept += (kept.empty() ? "" : ",") + part;
  }
  if (kept.starts_with("tcp") && kept.find("tcp_flags") == std::string::npos) kept += ",tcp_flags=0x002";
  return kept;
}

// Headers that frames have and ovs-ofctl does not print.
void add_not_shown(const std::string& flow, FlowKey& key) {
  if (!is_discovery(key)) return;
  const auto asked_for = parsers::parse_flow_key(flow);
  if (!asked_for) return;
  key.set(F::nd_reserved, asked_for->get(F::nd_reserved));
  key.set(F::nd_options_type, first_option(*asked_for));
}

struct Tally {
  unsigned tables = 0, packets = 0, answers = 0, errors = 0, differ = 0, undecided = 0, too_many = 0, sent = 0, lost = 0;
};

class Execution {
 public:
  bool good() const { return bench_->good(); }
  const Tally& tally() const { return tally_; }

  void table(unsigned seed) {
    Dice dice(seed);
    Configuration c = random_configuration(dice);
    bench_->load(c);
    if (is_lost(seed, "its flows")) return;
    ++tally_.tables;
    std::vector<std::string> flows, frames;
    std::vector<const BenchPort*> ports;
    for (unsigned i = 0; i < packets_of_table_; ++i) {
      const BenchPort& port = execution_ports()[dice.below(static_cast<unsigned>(execution_ports().size()))];
      const std::string asked_for = random_packet(dice, c, port.bridge);
      if (asked_for.find("in_port(") != std::string::npos || port.number == openflow::port::local) continue;
      const std::string flow = wire_part(asked_for);
      const auto frame = bench_->compose(flow);
      if (!frame || frame->empty()) continue;
      flows.push_back(flow);
      frames.push_back(*frame);
      ports.push_back(&port);
    }
    auto read = bench_->extract(frames);
    std::vector<Packet> packets;
    for (std::size_t i = 0; i < read.size() && i < frames.size(); ++i) {
      add_not_shown(flows[i], read[i].key);
      packets.push_back({ports[i], flows[i], read[i].flow, frames[i], read[i].key, {}});
    }
    for (std::span<const Packet> rest = packets; !rest.empty();) rest = rest.subspan(run(seed, c, rest));
  }

 private:
  struct Packet {
    const BenchPort* port;
    std::string flow, read, frame;  // as it was asked for, and as the frame is read: of later fragments another one
    FlowKey key;
    std::optional<Tuple> quoted;  // of an ICMP error
  };
  struct Executed {
    Packet packet;
    std::size_t number;  // of the packet of its table, or of the one that is answered
    std::vector<RawFrame> sent;
    bool cut;
  };

  // What a walk knows of the state that the switch has behind a packet. `again`: nothing, and so nothing can be said of the packet either.
  enum class Behind { known, unknown, again };

  // Executes packets one after the other, then walks them likewise. How many were compared, all where the switch is gone: where a walk
  // cannot know the switch's state behind a packet both forget it, and the packets behind that one are to be executed again.
  std::size_t run(unsigned seed, const Configuration& c, std::span<const Packet> packets) {
    std::vector<Executed> executed;
    Dice dice(seed + static_cast<unsigned>(packets.size()));
    for (std::size_t i = 0; i < packets.size(); ++i) {
      if (!execute(seed, packets[i], i, executed)) return packets.size();
      const auto back = dice.one_in(2) ? sent_back(dice, executed.back()) : std::nullopt;
      if (back && !execute(seed, *back, i, executed)) return packets.size();
    }
    std::vector<std::vector<RawFrame>> raw;
    for (const Executed& e : executed) raw.push_back(e.sent);
    std::vector<std::vector<SentFrame>> read = bench_->read(raw);
    engine::NetworkState network_state;
    bool sure = true;  // that `network_state` is the switch's
    for (std::size_t i = 0; i < executed.size(); ++i) {
      const Executed& e = executed[i];
      std::erase_if(read[i], [&](const SentFrame& f) { return is_down(bench_->node(), f.port); });
      const Behind behind = compare(seed, c, e.packet, read[i], e.cut, network_state, sure);
      if (behind == Behind::known) continue;
      bench_->reset(c);
      const bool is_answer = i > 0 && executed[i - 1].number == e.number;  // which there is none without what it answers
      return behind == Behind::again && !is_answer ? e.number : e.number + 1;
    }
    return packets.size();
  }

  // False: the switch is gone.
  bool execute(unsigned seed, const Packet& p, std::size_t number, std::vector<Executed>& executed) {
    std::vector<RawFrame> sent = bench_->send(p.port->name, p.frame);
    if (is_lost(seed, p.flow)) return false;
    executed.push_back({p, number, std::move(sent), is_truncated(*p.port, p.flow) || is_truncated(*p.port, p.read)});
    return true;
  }

  // What comes back where a packet has left.
  std::optional<Packet> sent_back(Dice& dice, const Executed& e) {
    if (e.sent.empty()) return std::nullopt;
    const RawFrame& sent = dice.of(e.sent);
    const auto port = std::find_if(execution_ports().begin(), execution_ports().end(),
                                   [&](const BenchPort& p) { return p.name == sent.port && p.number != openflow::port::local; });
    const bool is_error = dice.one_in(4);
    const auto frame = is_error ? error_about(sent.bytes) : answer_to(sent.bytes);
    if (port == execution_ports().end() || !frame) return std::nullopt;
    const auto read = bench_->extract(*frame), about = bench_->extract(sent.bytes);
    if (!read || !about) return std::nullopt;
    ++(is_error ? tally_.errors : tally_.answers);
    return Packet{&*port, read->flow, read->flow,
                  *frame, read->key,  is_error ? std::optional(tuple_of(about->key)) : std::nullopt};
  }

  Behind compare(unsigned seed, const Configuration& c, const Packet& p, const std::vector<SentFrame>& real, bool cut,
                 engine::NetworkState& network_state, bool& sure) {
    engine::OvsOptions options;
    options.packet_length = static_cast<std::uint32_t>(p.frame.size() / 2);
    options.quoted = p.quoted;
    Paths paths = walk(bench_->node(), *p.port, p.key, network_state, options,
                       [&](const Path& path) { return same(p.key, path.sent, real, path.record, cut); });
    if (!paths.agreeing && !sure) return Behind::again;
    ++tally_.packets;
    tally_.sent += !real.empty();
    if (paths.agreeing) {
      network_state = std::move(paths.agreeing->network_state);
      // Another path may send the same frames and leave another state.
      sure &= !paths.agreeing->chosen;
      // The connection that the switch has now may be another one.
      return takes_of_range(paths.agreeing->record) ? Behind::unknown : Behind::known;
    }
    if (paths.count == kMostPaths) {
      ++tally_.too_many;
    } else if (paths.undecided) {
      ++tally_.undecided;
    } else {
      ++tally_.differ;
      if (shown_++ < asked("EGTRACE_SHOW", 3))
        ADD_FAILURE() << fmt::format("seed {}: {} {}\nswitch:\n{}", seed, p.port->name, p.flow, text_of(real)) << text_of(paths)
                      << trace_of(*p.port, p.flow) << groups_of(c);
    }
    return Behind::unknown;
  }

  std::string trace_of(const BenchPort& port, const std::string& flow) {
    return bench_->trace(port.bridge, fmt::format("in_port={},{}", port.number, flow));
  }

  bool is_truncated(const BenchPort& port, const std::string& flow) {
    return trace_of(port, flow).find("max_len=") != std::string::npos;
  }

  // The switch does not survive every packet: random pipelines find its assertions.
  bool is_lost(unsigned seed, const std::string& flow) {
    if (bench_->answers()) return false;
    ++tally_.lost;
    fmt::print("seed {}: the switch did not survive {} ({})\n", seed, flow, bench_->state());
    bench_.reset();
    bench_ = std::make_unique<ExecutionBench>();
    return true;
  }

  std::unique_ptr<ExecutionBench> bench_ = std::make_unique<ExecutionBench>();
  Tally tally_;
  unsigned shown_ = 0, packets_of_table_ = asked("EGTRACE_PACKETS", kPackets);
};

// But for what that one does not make: fragments of IPv6, checksums and payload of SCTP.
TEST(ExecutionOracle, FramesAreThoseOfOpenVSwitch) {
  if (!Daemon::installed()) GTEST_SKIP() << "ovs-vswitchd is not installed";
  constexpr unsigned kFrames = 60;
  Dice dice(asked("EGTRACE_SEED", 1));
  unsigned same = 0;
  for (unsigned i = 0; i < 10 * kFrames && same < kFrames; ++i) {
    const Configuration c = random_configuration(dice);
    const std::string flow = wire_part(random_packet(dice, c, "br-int"));
    if (flow.find('(') != flow.npos || flow.starts_with("sctp") || flow.find("frag") != flow.npos ||
        flow.find("nd_options_type") != flow.npos)
      continue;
    const auto real = ExecutionBench::composed_by_switch(flow);
    if (!real) continue;
    EXPECT_EQ(ExecutionBench::compose(flow), real) << flow;
    ++same;
  }
  EXPECT_EQ(same, kFrames);
}

TEST(ExecutionOracle, RandomTablesAndPackets) {
  if (!Daemon::installed()) GTEST_SKIP() << "ovs-vswitchd is not installed";
  Execution execution;
  ASSERT_TRUE(execution.good());
  const unsigned packets = asked("EGTRACE_CASES", kPackets * kTables), seed = asked("EGTRACE_SEED", 1);
  const Tally& t = execution.tally();
  for (unsigned i = 0; t.packets < packets && execution.good() && i < packets; ++i) {
    execution.table(seed + i);
    if (t.tables % kShownTables != 0) continue;
    fmt::print("{} packets over {} tables\n", t.packets, t.tables);
    std::fflush(stdout);
  }
  fmt::print(
      "{} packets over {} tables, {} of them answers and {} errors: {} left the switch; {} differ, {} undecided, {} not among "
      "the first {} paths, {} not "
      "survived by the switch\n",
      t.packets, t.tables, t.answers, t.errors, t.sent, t.differ, t.undecided, t.too_many, kMostPaths, t.lost);
  EXPECT_GE(t.packets, packets);
  EXPECT_EQ(t.differ, 0u);
}

}  // namespace
}  // namespace egt::testing
