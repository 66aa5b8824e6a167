#include "experiment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "egtrace/parsers/snapshot.h"

namespace egt::test {
namespace {

namespace fs = std::filesystem;
using Kind = engine::HostOutcome::Kind;

constexpr std::uint32_t kMagic = 0xe6000000;

bool turns_back(const Way& way, const std::string& device) {
  return std::any_of(way.record.steps.begin(), way.record.steps.end(), [&](const engine::Step& s) {
    const auto* route = std::get_if<engine::RouteLookup>(&s.kind);
    return route != nullptr && !route->reverse_path && route->device == device;
  });
}

}  // namespace

bool Experiment::begin() {
  kernel_.emplace();
  const HostSetup setup = random_.setup();
  if (!kernel_->problem().empty() || !kernel_->set_up(setup)) {
    ++tally_.refused;
    if (std::getenv("EGTRACE_ORACLE_OPEN") != nullptr) fmt::print("seed {}: {}\n", seed_, kernel_->problem());
    return false;
  }
  kernel_->dump(folder_ / "host", setup.shows_sets);
  if (!read_dumps()) return false;
  kernel_->collect(0);
  return true;
}

bool Experiment::read_dumps() {
  auto read = parsers::read_snapshot({folder_.string(), {}, 1});
  if (!read) {
    ADD_FAILURE() << read.error().message;
    return false;
  }
  cluster_ = std::move(*read);
  const cluster::Node* node = cluster_->node("host");
  if (node == nullptr) {
    ADD_FAILURE() << "no node";
    return false;
  }
  predictor_.emplace(*node, random_);
  return true;
}

// What a dump says of the connections must do as well as having seen them begin.
void Experiment::look_at_connections() {
  if (!kernel_->dump_connections(folder_ / "host") || !read_dumps()) return;
  predictor_->network_states = {engine::initial_network_state(*cluster_, true)};
}

// The kernel is sparing with routing errors to one sender, and with anything after a redirect, which it makes of
// packets that turn back on their device, even where a rule drops it then (ip_error(), ip_rt_send_redirect() of
// net/ipv4/route.c).
bool Experiment::may_be_silent(const Probe& probe, const Observation& o, const std::vector<Way>& ways) {
  int& count = errors_[src_ip(probe.packet)];
  const bool silent = count >= 4;
  for (const auto& i : o.sent) count += is_redirect(i.packet) ? 10 : is_answer(i.packet) ? 1 : 0;
  const std::string in = random_.device_of(probe.wire);
  if (!probe.local && std::any_of(ways.begin(), ways.end(), [&](const Way& w) { return turns_back(w, in); })) count += 10;
  return silent;
}

void Experiment::learn_port(const Way& way, const Observation& o, engine::NetworkState& network_state) {
  const Split s = split(o, false);
  const auto& seen = !s.packets.empty() ? s.packets : s.delivered;
  if (seen.empty() || !way.open_port) return;
  const Tuple wanted = tuple_of(way.outcome.packet), real = tuple_of(seen.front()->packet.key);
  for (const std::uint16_t zone : {std::uint16_t{0}, std::uint16_t{5}}) {
    const auto hit = network_state.conntrack.find({"host", engine::ConntrackSpace::kernel, zone}, reversed(wanted));
    if (!hit) continue;
    hit.connection->reply.dport = real.sport;
    if (!has_ports(way.outcome.packet)) hit.connection->reply.sport = real.sport;
  }
}

// A router on the way, or the receiver itself, refuses the packet.
Probe Experiment::error_about(const Observation::Item& sent) {
  const FlowKey& out = sent.packet.key;
  const bool v4 = family_of(out) == Family::v4;
  Probe p;
  p.wire = static_cast<unsigned>(sent.device.back() - '0');
  p.quoted = out;
  p.packet.set(FieldId::eth_type, v4 ? ethertype::ipv4 : ethertype::ipv6);
  p.packet.set(FieldId::nw_proto, v4 ? ip_proto::icmp : ip_proto::icmp6);
  p.packet.set(FieldId::nw_ttl, 64);
  p.packet.set(FieldId::icmp_type, v4 ? (random_.chance(70) ? 3u : 11u) : (random_.chance(70) ? 1u : 3u));
  set_src_ip(p.packet, random_.chance(60)
                           ? dst_ip(out)
                           : *IpAddr::parse(fmt::format("{}{}{}", v4 ? "10." : "fd00:", p.wire, v4 ? ".0.5" : "::5")));
  set_dst_ip(p.packet, random_.chance(92) ? src_ip(out) : *IpAddr::parse(v4 ? "10.1.0.1" : "fd00:1::1"));
  p.packet.set(FieldId::eth_src, dst_mac(out).value);
  p.packet.set(FieldId::eth_dst, src_mac(out).value);
  return p;
}

void Experiment::follow(const Probe& probe, const Way& way, const Observation& seen) {
  const Split s = split(seen, false);
  if (probe.quoted || way.outcome.kind != Kind::transmit || s.packets.size() != 1) return;
  if (random_.chance(12)) answers_.push_back(error_about(*s.packets.front()));
  if (!random_.chance(35)) return;
  const FlowKey& out = s.packets.front()->packet.key;
  Probe back;
  back.wire = static_cast<unsigned>(s.packets.front()->device.back() - '0');
  back.packet = out;
  set_tuple(back.packet, reversed(tuple_of(out)));
  if (!has_ports(out)) {
    const auto type = out.u64(FieldId::icmp_type);
    if (type != 8 && type != 128) return;
    back.packet.set(FieldId::icmp_type, type == 8 ? 0 : 129);
  }
  const bool tcp = out.u64(FieldId::nw_proto) == ip_proto::tcp;
  if (tcp) {
    if (out.u64(FieldId::tcp_flags) != 0x02) return;
    back.packet.set(FieldId::tcp_flags, 0x12);
    back.place.acknowledge = s.packets.front()->packet.sequence + 1;
  }
  back.packet.set(FieldId::eth_src, dst_mac(out).value);
  back.packet.set(FieldId::eth_dst, src_mac(out).value);
  back.packet.set(FieldId::nw_ttl, 64);
  answers_.push_back(back);
  if (!probe.local && random_.chance(50)) {
    Probe again = probe;
    if (tcp) {
      again.packet.set(FieldId::tcp_flags, 0x10);
      again.place.sequence = s.packets.front()->packet.sequence + 1;
      again.place.acknowledge = kMagic + number_ + 2;  // of the answer, which is the next probe
    }
    answers_.push_back(again);
  }
}

void Experiment::one_probe() {
  Probe probe;
  std::string what;
  if (!answers_.empty()) {
    probe = answers_.front();
    answers_.erase(answers_.begin());
    what = "(goes on) ";
  } else {
    probe = random_.probe();
  }
  ++number_;
  bool said_no = false;
  if (probe.local) {
    if (probe.process.choose_source)
      set_src_ip(probe.process.packet,
                 IpAddr{probe.process.packet.get(FieldId::eth_type) == ethertype::ipv4 ? Family::v4 : Family::v6, 0});
    said_no = !kernel_->send(probe.process, number_);
    what += fmt::format(
        "process{}{}{} {}", probe.process.choose_source ? " unbound" : "", probe.process.connected ? " connected" : "",
        probe.process.bound_device.empty() ? "" : " dev " + probe.process.bound_device, to_text(probe.process.packet));
  } else {
    std::vector<Bytes> frames;
    if (probe.in_fragments)
      frames = fragments_of(probe.packet, number_);
    else
      frames.push_back(frame_of(probe.packet, number_, probe.place, probe.quoted ? &*probe.quoted : nullptr));
    for (const Bytes& frame : frames) kernel_->inject(probe.wire, frame);
    if (probe.in_fragments) what += "in fragments, ";
    what += "in " + frame_text(random_.device_of(probe.wire), probe.packet);
    if (probe.quoted) what += " about " + to_text(*probe.quoted);
  }
  compare(probe, said_no, what);
}

void Experiment::compare(const Probe& probe, bool kernel_said_no, const std::string& what) {
  const std::vector<Way> ways = predictor_->predict(probe);
  // What follows a storm is lost in it.
  if (std::any_of(ways.begin(), ways.end(), [](const Way& w) { return storms(w); })) failed_ = true;
  const auto collect = [&](int milliseconds) {
    Observation o = kernel_->collect(milliseconds)[number_];
    for (auto& i : o.sent) i.device = random_.device_of(static_cast<unsigned>(i.device.back() - '0'));
    return o;
  };
  Observation seen = collect(0);
  // A reset that answers an acknowledgement carries nothing of the probe.
  const bool silent = may_be_silent(probe, seen, ways) || (probe.packet.u32(FieldId::tcp_flags) & 0x10) != 0;
  const Circumstances circumstances{probe.quoted.has_value(), silent, kernel_said_no};
  const auto find = [&] {
    return std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return agrees(w, seen, circumstances); });
  };
  auto agreed = find();
  constexpr int kPatience = 5;
  for (int i = 0; agreed == ways.end() && i < kPatience; ++i) {  // under load the kernel takes its time
    Observation late = collect(60);
    seen.sent.insert(seen.sent.end(), late.sent.begin(), late.sent.end());
    seen.delivered.insert(seen.delivered.end(), late.delivered.begin(), late.delivered.end());
    agreed = find();
  }
  ++tally_.packets;
  std::ofstream(folder_ / "packets", std::ios::app)
      << fmt::format("{}: {}{}{}\n  {}\n", number_, what, kernel_said_no ? " (kernel says no)" : "", describe(seen),
                     describe(agreed != ways.end() ? *agreed : ways.front()));
  if (agreed != ways.end()) {
    waits_for_neighbour(*agreed) ? ++tally_.open : ++tally_.agreed;
    tally_.sure += agreed->sure;
    tally_.several += ways.size() > 1;
    constexpr std::size_t kMostStates = 6;
    predictor_->network_states.clear();
    for (const Way& w : ways) {
      if (predictor_->network_states.size() == kMostStates || !agrees(w, seen, circumstances)) continue;
      predictor_->network_states.push_back(w.network_state);
      learn_port(w, seen, predictor_->network_states.back());
    }
    return follow(probe, *agreed, seen);
  }
  const bool open = std::any_of(ways.begin(), ways.end(), [](const Way& w) { return w.outcome.kind == Kind::inconclusive; });
  std::string text =
      fmt::format("seed {} packet {}: {}\n  kernel:{}{}", seed_, number_, what, kernel_said_no ? " says no" : "", describe(seen));
  for (const Way& w : ways) text += "\n  egtrace: " + describe(w);
  failed_ = true;  // the two disagree on what connections there are from now on
  if (open) {
    ++tally_.open;
    if (std::getenv("EGTRACE_ORACLE_OPEN") != nullptr) fmt::print("open: {}\n", text);
    return;
  }
  ++tally_.differ;
  tally_.differences += text + "\n  in " + folder_.string() + "\n";
}

void Experiment::run(unsigned packets) {
  if (begin()) {
    ++tally_.hosts;
    const unsigned looks = random_.chance(30) ? packets / 2 : packets;
    for (unsigned i = 0; i < packets && !failed_; ++i) {
      if (i == looks) look_at_connections();
      one_probe();
    }
  }
  if (tally_.differ == 0) fs::remove_all(folder_);
}

}  // namespace egt::test
