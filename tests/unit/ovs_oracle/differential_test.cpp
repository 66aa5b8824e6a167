// egtrace trace against ovs-vswitchd itself: random flow tables and groups, random packets, full texts of
// ofproto/trace. Skipped where Open vSwitch is not installed. EGTRACE_CASES=N asks for N packets, EGTRACE_SEED=N begins
// elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "bench.h"
#include "comparison.h"
#include "coverage.h"

namespace egt::testing {
namespace {

constexpr unsigned kPackets = 50, kTableCount = 12, kShrinkSteps = 250, kShownAfter = 100;

unsigned asked(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

struct Tally {
  unsigned packets = 0, differ = 0, megaflow = 0, tables = 0, refused = 0, unanswered = 0;
};

bool differ(const std::string& daemon, const std::string& program, bool megaflow) {
  if (daemon == program) return false;
  if (megaflow) return renumbered_trace(daemon) != renumbered_trace(program);
  return without_megaflow(renumbered_trace(daemon)) != without_megaflow(renumbered_trace(program));
}

// Makes a table that shows a difference small.
class Shrinker {
 public:
  Shrinker(Bench& bench, Configuration c, std::string bridge, std::string packet, bool megaflow)
      : bench_(bench), best_(std::move(c)), bridge_(std::move(bridge)), packet_(std::move(packet)), megaflow_(megaflow) {}

  std::string smallest() {
    drop(&Configuration::flows);
    drop(&Configuration::groups);
    for (std::size_t i = 0; i < best_.flows.size(); ++i) drop_parts(&GeneratedFlow::actions, &Configuration::flows, i);
    for (std::size_t i = 0; i < best_.groups.size(); ++i) drop_parts(&GeneratedGroup::buckets, &Configuration::groups, i);
    drop(&Configuration::flows);
    drop(&Configuration::ct_next);
    drop(&Configuration::ports);
    drop(&Configuration::settings);
    drop(&Configuration::fragments);
    shorten_packet();
    if (const char* keep = std::getenv("EGTRACE_KEEP")) {
      bench_.load(best_);
      std::filesystem::copy(bench_.snapshot(), keep, std::filesystem::copy_options::recursive);
    }
    return description();
  }

 private:
  template <class Part>
  void drop(std::vector<Part> Configuration::*all) {
    for (std::size_t n = (best_.*all).size(); n > 0; n /= 2)
      for (std::size_t at = 0; at < (best_.*all).size();) {
        Configuration next = best_;
        auto& list = next.*all;
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(at);
        list.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(n, list.size() - at)));
        if (!accept(next, packet_)) at += n;
      }
  }
  template <class Whole, class Part>
  void drop_parts(std::vector<Part> Whole::*parts, std::vector<Whole> Configuration::*all, std::size_t i) {
    for (std::size_t at = 0; i < (best_.*all).size() && at < ((best_.*all)[i].*parts).size();) {
      Configuration next = best_;
      auto& list = (next.*all)[i].*parts;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      if (!accept(next, packet_)) ++at;
    }
  }
  void shorten_packet() {
    for (std::size_t end = packet_.size(); end != std::string::npos && end > 0;) {
      const std::size_t comma = packet_.rfind(',', end - 1);
      if (comma == std::string::npos) return;
      std::string next = packet_;
      next.erase(comma,
                 packet_.find(',', comma + 1) == std::string::npos ? std::string::npos : packet_.find(',', comma + 1) - comma);
      if (accept(best_, next)) packet_ = next;
      end = comma;
    }
  }
  bool accept(Configuration next, const std::string& packet) {
    if (++steps_ > kShrinkSteps) return false;
    bench_.load(next);
    const std::string daemon = bench_.ask_daemon(next, bridge_, {packet}).front();
    const std::string program = bench_.ask_program(next, bridge_, {packet}).front();
    if (!daemon.starts_with("Flow: ") || !differ(daemon, program, megaflow_)) return false;
    best_ = std::move(next);
    shown_ = line_difference(renumbered_trace(daemon), renumbered_trace(program));
    return true;
  }
  std::string description() const {
    std::string text;
    for (const GeneratedGroup& g : best_.groups) text += fmt::format("group {}: {}\n", g.bridge, text_of(g));
    for (const GeneratedFlow& f : best_.flows) text += fmt::format("flow {}: {}\n", f.bridge, text_of(f));
    for (const std::string& s : best_.ct_next) text += fmt::format("--ct-next {}\n", s);
    for (const PortConfig& p : best_.ports) text += fmt::format("mod-port {} {} {}\n", p.bridge, p.port, p.flag);
    for (const DatabaseSetting& s : best_.settings)
      text += fmt::format("set {} {} {}\n", s.table, s.name, fmt::join(s.words, " "));
    for (const auto& [b, mode] : best_.fragments) text += fmt::format("set-frags {} {}\n", b, mode);
    const Dialect& d = best_.dialect;
    return fmt::format("{}tlv-map {}\n{} {} trace {}\npacket {}: {}\n{}", text, tlv_maps()[best_.tlv_map], d.protocol,
                       d.dump_names, d.trace_names, bridge_, packet_, shown_);
  }

  Bench& bench_;
  Configuration best_;
  std::string bridge_, packet_, shown_;
  bool megaflow_;
  unsigned steps_ = 0;
};

class Comparison {
 public:
  Comparison() : bench_(std::make_unique<Bench>()), shrinks_(asked("EGTRACE_SHRINK", 1)) {}
  bool good() const { return bench_->good(); }

  void table(unsigned seed) {
    Dice dice(seed);
    Configuration c = random_configuration(dice);
    const std::string bridge = dice.one_in(4) ? "br-ex" : dice.one_in(6) ? "br-b" : "br-int";
    bench_->load(c);
    if (c.flows.empty()) return;
    std::vector<std::string> packets;
    for (unsigned i = 0; i < kPackets; ++i) packets.push_back(random_packet(dice, c, bridge));
    ++tally_.tables;
    const std::vector<std::string> daemon = bench_->ask_daemon(c, bridge, packets);
    if (is_lost(daemon.back())) return restart(seed, packets[daemon.size() - 1], daemon.back());
    std::vector<std::string> traced, expected;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      if (!daemon[i].starts_with("Flow: ")) {
        refuse(packets[i], daemon[i]);
        continue;
      }
      traced.push_back(packets[i]);
      expected.push_back(daemon[i]);
    }
    const std::vector<std::string> program = bench_->ask_program(c, bridge, traced);
    for (std::size_t i = 0; i < traced.size(); ++i) packet(c, bridge, traced[i], expected[i], program[i], seed);
  }
  const Tally& tally() const { return tally_; }
  const Coverage& coverage() const { return coverage_; }
  std::size_t refused() const { return refused_ + bench_->refused() + tally_.refused; }

 private:
  // Packets that a pipeline sends round and round, forking, take the switch more time and memory than there is.
  void restart(unsigned seed, const std::string& packet, const std::string& what) {
    ++tally_.unanswered;
    fmt::print("seed {}: {}: {} ({})\n", seed, packet, what, bench_->state());
    refused_ += bench_->refused();
    bench_.reset();
    bench_ = std::make_unique<Bench>();
  }
  void refuse(const std::string& packet, const std::string& why) {
    ++tally_.refused;
    if (asked("EGTRACE_SHOW_REFUSED", 0) != 0) fmt::print("{}: {}\n", packet, why);
  }
  void packet(const Configuration& c, const std::string& bridge, const std::string& packet, const std::string& daemon,
              const std::string& program, unsigned seed) {
    ++tally_.packets;
    if (counts_) coverage_.add(daemon, c);
    if (!differ(daemon, program, true)) return;
    const bool only_megaflow = !differ(daemon, program, false);
    ++(only_megaflow ? tally_.megaflow : tally_.differ);
    if (only_megaflow && !asked("EGTRACE_MEGAFLOW", 0)) return;
    if (asked("EGTRACE_SHOW", 0) != 0)
      fmt::print("== seed {} {} {}\n{}", seed, bridge, packet,
                 line_difference(renumbered_trace(daemon), renumbered_trace(program)));
    if (shrunk_in_ == seed || shrinks_ == 0) return;
    --shrinks_;
    shrunk_in_ = seed;
    ADD_FAILURE() << "seed " << seed << "\n" << Shrinker(*bench_, c, bridge, packet, only_megaflow).smallest();
  }

  std::unique_ptr<Bench> bench_;
  Tally tally_;
  Coverage coverage_;
  bool counts_ = asked("EGTRACE_COVERAGE", 0) != 0;
  std::size_t refused_ = 0;  // by benches that are no more
  unsigned shrinks_, shrunk_in_ = ~0u;
};

TEST(OfprotoTraceOracle, RandomTablesAndPackets) {
  if (!Daemon::installed()) GTEST_SKIP() << "ovs-vswitchd is not installed";
  Comparison comparison;
  ASSERT_TRUE(comparison.good());
  const unsigned packets = asked("EGTRACE_CASES", kPackets * kTableCount), seed = asked("EGTRACE_SEED", 1);
  const Tally& t = comparison.tally();
  for (unsigned i = 0; t.packets < packets && comparison.good() && t.unanswered <= t.tables / 10 + 2; ++i) {
    comparison.table(seed + i);
    if (i % kShownAfter == kShownAfter - 1) fmt::print("{} packets over {} tables\n", t.packets, t.tables);
  }
  fmt::print(
      "{} packets over {} tables: {} differ, {} more in the megaflow only; {} flows, groups or packets were refused, "
      "{} "
      "not answered by the switch\n",
      t.packets, t.tables, t.differ, t.megaflow, comparison.refused(), t.unanswered);
  // Of a thousand tables; less than once a table's worth is a hole in the generator.
  if (asked("EGTRACE_COVERAGE", 0) != 0) fmt::print("{}", comparison.coverage().report(t.tables / 50 + 1));
  EXPECT_GE(t.packets, packets) << "the switch went away";
  EXPECT_EQ(t.differ, 0u);
  EXPECT_EQ(t.megaflow, 0u);
}

}  // namespace
}  // namespace egt::testing
