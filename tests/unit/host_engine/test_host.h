// A small host put together by hand, and what an engine needs to run a packet through it.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/engine/host.h"
#include "egtrace/parsers/format.h"

namespace egt::test {

class TestHost {
 public:
  TestHost();

  // "10.0.0.1/24 fd00::1/64"
  TestHost& link(const std::string& name, const std::string& mac, const std::string& addresses);
  // As ip route prints it, one a line: "unreachable default table 7", "10.0.0.0/8 via 10.1.1.1 dev eth0 weight 2"
  // continued by further "nexthop" parts on the same line.
  TestHost& routes(std::string_view lines);
  // As ip rule prints it, one a line, in a small subset of words.
  TestHost& rules(std::string_view lines);
  TestHost& iptables(const std::string& save);
  TestHost& nft(const std::string& ruleset);
  TestHost& ipset(const std::string& save);
  TestHost& ipsec_policies(const std::string& policies);  // as ip xfrm policy prints them
  TestHost& sysctl(const std::string& key, const std::string& value);
  TestHost& neighbour(const std::string& address, const std::string& device, const std::string& mac,
                      host::NeighbourState state = host::NeighbourState::reachable);
  // Local routes of all addresses, as the kernel makes them; call it last.
  TestHost& local_table();

  host::Host& host() { return node.host; }
  host::Link& at(const std::string& name);

  cluster::Node node;

 private:
  TestHost& load(std::span<const parsers::Format> formats, std::string_view command, const std::string& text);
  Provenance next_line() { return {1, ++line_}; }
  std::uint32_t line_ = 0;
  std::deque<std::string> texts_;  // the model may point into them
};

class ScriptedChooser : public engine::Chooser {
 public:
  std::size_t choose(const engine::ChoicePoint& point) override {
    if (point.options.size() < 2) return 0;
    points.push_back(point);
    const std::size_t i = points.size() - 1;
    return i < script.size() ? script[i] : 0;
  }
  std::vector<std::size_t> script;
  std::vector<engine::ChoicePoint> points;
};

class Neighbours : public engine::NeighbourOracle {
 public:
  std::optional<Answer> resolve(const cluster::Node&, std::string_view, const IpAddr& a,
                                const std::optional<IpAddr>& by) const override {
    asker = by;
    const auto found = known.find(a);
    return found == known.end() ? std::nullopt : std::optional(Answer{found->second});
  }
  std::map<IpAddr, MacAddr> known;
  mutable std::optional<IpAddr> asker;  // of the last question
};

// One run; keeps the NetworkState between packets.
struct Lab {
  explicit Lab(TestHost& h) : host(h) {}
  engine::HostOutcome receive(const std::string& device, const FlowKey& packet);
  engine::HostOutcome send(const engine::LocalSend& what);
  engine::HostOutcome send(const FlowKey& packet, bool choose_source = false, const std::string& bound = "");

  template <class T>
  std::vector<const T*> steps() const {
    std::vector<const T*> found;
    for (const engine::Step& s : record.steps)
      if (const T* t = std::get_if<T>(&s.kind)) found.push_back(t);
    return found;
  }
  bool proven() const { return record.assumptions.empty() && record.gaps.empty(); }
  std::string assumptions() const;

  TestHost& host;
  engine::NetworkState network_state;
  engine::Record record;
  ScriptedChooser chooser;
  Neighbours neighbours;
  engine::HostOptions options;
};

IpAddr ip(std::string_view text);
MacAddr mac(std::string_view text);
FlowKey tcp(const std::string& from, const std::string& to, std::uint16_t sport, std::uint16_t dport);
FlowKey udp(const std::string& from, const std::string& to, std::uint16_t sport, std::uint16_t dport);
FlowKey ping(const std::string& from, const std::string& to, std::uint16_t id);
FlowKey answer_to(const FlowKey& packet);  // addresses, ports and ICMP type turned around; SYN and ACK set

}  // namespace egt::test
