// Random policy rules and routes, given to the kernel and to find_route() alike; `ip route get` must agree with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "../../../libtrace/engine/src/host/source_validation.h"
#include "egtrace/engine/routing.h"
#include "egtrace/explain/phrases.h"
#include "namespace.h"

namespace egt::test {
namespace {

using engine::RouteAnswer;
using engine::RouteQuery;
using host::Host;
using host::PolicyRule;
using host::Route;
using host::RouteType;
using host::RuleAction;
using Kind = RouteAnswer::Kind;

constexpr int kDevices = 3;
constexpr int kRounds = 5, kQueries = 40;

// Another seed than the usual one, to search for differences: EGTRACE_ORACLE_SEED.
unsigned seed() {
  const char* text = std::getenv("EGTRACE_ORACLE_SEED");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 20261121u;
}

class RoutingOracle : public ::testing::TestWithParam<Family> {
 protected:
  bool v4() const { return GetParam() == Family::v4; }
  const char* dash() const { return v4() ? "-4" : "-6"; }
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return pick(100) < percent; }

  IpAddr ip(const std::string& text) const { return *IpAddr::parse(text); }
  std::string device(unsigned i) const { return fmt::format("v{}", i); }
  IpAddr on_link(unsigned net, unsigned host_part) const {
    return ip(v4() ? fmt::format("10.{}.0.{}", net, host_part) : fmt::format("fd00:{}::{:x}", net, host_part));
  }
  IpAddr remote() {
    if (v4()) return ip(fmt::format("10.{}.{}.{}", 8 + pick(4), pick(3), 1 + pick(3)));
    return ip(fmt::format("fd00:{}:{}::{}", 8 + pick(4), pick(3), 1 + pick(3)));
  }
  Prefix remote_net() {
    static constexpr std::uint8_t kLengths4[] = {0, 8, 13, 14, 15, 16, 22, 24, 32};
    static constexpr std::uint8_t kLengths6[] = {0, 16, 29, 30, 31, 32, 46, 48, 128};
    return Prefix{remote(), v4() ? kLengths4[pick(9)] : kLengths6[pick(9)]}.network();
  }

  // Of sources that questions have; ::/16 has the one of a socket that has none yet.
  Prefix some_sources() {
    if (chance(10)) return *Prefix::parse("::/16");
    static constexpr std::uint8_t kLengths[] = {16, 31, 32, 48, 64, 128};
    return Prefix{chance(60) ? on_link(pick(kDevices), 1 + pick(4)) : remote(), kLengths[pick(6)]}.network();
  }

  void make_devices(const Namespace& ns);
  void flush(const Namespace& ns);
  std::string random_route(Route& r);
  std::string random_rule(PolicyRule& r, std::uint32_t priority);
  void base_model();
  RouteQuery random_query();
  void compare(const Namespace& ns, const RouteQuery& q);

  std::mt19937 random_{seed()};
  Host host_;
  std::string setup_;
  int compared_ = 0, with_error_ = 0, by_rule_ = 0, forwarded_ = 0;
};

void RoutingOracle::make_devices(const Namespace& ns) {
  for (unsigned i = 0; i < kDevices; ++i) {
    ns.exec(fmt::format("ip link add v{0} type veth peer name p{0}", i));
    ns.exec(fmt::format("ip link set v{} up", i));
    ns.exec(fmt::format("ip link set p{} up", i));
    ns.exec(fmt::format("ip {} addr add {}/{} dev v{} {}", dash(), on_link(i, 1).to_string(), v4() ? 24 : 64, i,
                        v4() ? "" : "nodad"));
    ns.exec(fmt::format("sysctl -qw net.ipv4.conf.v{}.forwarding=1", i));
  }
  ns.exec("sysctl -qw net.ipv6.conf.all.forwarding=1");
}

void RoutingOracle::base_model() {
  host_ = Host{};
  host_.links.present = host_.routes_v4.present = host_.routes_v6.present = true;
  host_.rules_v4.present = host_.rules_v6.present = true;
  auto& routes = v4() ? host_.routes_v4.value : host_.routes_v6.value;
  auto& rules = v4() ? host_.rules_v4.value : host_.rules_v6.value;
  const auto add = [&](RouteType type, Prefix to, std::string table, std::string dev, std::string scope, std::uint32_t metric,
                       std::optional<IpAddr> source) {
    Route r;
    r.family = GetParam();
    r.type = type;
    r.to = to;
    r.table = std::move(table);
    r.scope = std::move(scope);
    r.protocol = "kernel";
    r.metric = metric;
    r.source_hint = source;
    host::NextHop hop;
    hop.device = std::move(dev);
    r.next_hops.push_back(hop);
    routes.push_back(r);
  };
  for (unsigned i = 0; i < kDevices; ++i) {
    const IpAddr own = on_link(i, 1);
    const std::uint8_t length = v4() ? 24 : 64;
    host::Link link;
    link.index = i + 2;
    link.name = device(i);
    link.flags = {"UP,LOWER_UP"};
    link.addresses.push_back({Prefix{own, length}, std::nullopt, "global", false, false, false, false, {}});
    host_.links.value.push_back(link);
    const auto hint = v4() ? std::optional(own) : std::nullopt;
    add(RouteType::unicast, Prefix{own, length}.network(), "main", device(i), "link", v4() ? 0 : 256, hint);
    add(RouteType::local, Prefix::host(own), "local", device(i), "host", 0, hint);
    if (v4())
      add(RouteType::broadcast, Prefix::host(on_link(i, 255)), "local", device(i), "link", 0, hint);
    else
      add(RouteType::anycast, Prefix::host(on_link(i, 0)), "local", device(i), "", 0, hint);
  }
  add(RouteType::local, v4() ? *Prefix::parse("127.0.0.0/8") : *Prefix::parse("::1/128"), "local", "lo", "host", 0,
      v4() ? std::optional(ip("127.0.0.1")) : std::nullopt);
  static constexpr std::pair<std::uint32_t, const char*> kDefault[] = {{0, "local"}, {32766, "main"}, {32767, "default"}};
  for (const auto& [priority, table] : kDefault) {
    if (!v4() && priority == 32767) continue;
    PolicyRule r;
    r.family = GetParam();
    r.priority = priority;
    r.table = table;
    rules.push_back(r);
  }
}

void RoutingOracle::flush(const Namespace& ns) {
  for (const char* table : {"100", "101", "102"}) ns.exec(fmt::format("ip {} route flush table {}", dash(), table));
  ns.exec(fmt::format("sh -c 'for p in 100 101 102 103 104 105; do while ip {} rule del pref $p 2>/dev/null; do :; done; done'",
                      dash()));
  ns.exec(fmt::format("ip {} route flush table main proto static", dash()));
}

std::string RoutingOracle::random_route(Route& r) {
  static constexpr const char* kTables[] = {"main", "100", "101", "102"};
  r.family = GetParam();
  r.to = remote_net();
  r.table = kTables[pick(4)];
  r.metric = v4() ? pick(3) * 10 : 100 + pick(3) * 10;
  if (!v4() && chance(35)) r.sources = some_sources();
  const std::string to = r.to.to_string() + (r.sources ? " from " + r.sources->to_string() : "");
  std::string text = fmt::format("{} table {} metric {} proto static", to, r.table, r.metric);
  if (chance(12)) {
    static constexpr std::pair<RouteType, const char*> kTypes[] = {{RouteType::unreachable, "unreachable"},
                                                                   {RouteType::blackhole, "blackhole"},
                                                                   {RouteType::prohibit, "prohibit"},
                                                                   {RouteType::throw_, "throw"}};
    const auto& [type, name] = kTypes[pick(4)];
    r.type = type;
    return fmt::format("{} {}", name, text);
  }
  if (v4() && chance(15)) {
    r.tos = 0x10;
    text = fmt::format("{} tos 0x10 table {} metric {} proto static", r.to.to_string(), r.table, r.metric);
  }
  const unsigned hops = chance(20) ? 2 : 1;
  const unsigned first = pick(kDevices);
  for (unsigned i = 0; i < hops; ++i) {
    host::NextHop hop;
    const unsigned d = (first + i) % kDevices;
    hop.device = device(d);
    hop.weight = 1 + pick(3);
    if (hops > 1 || chance(80)) hop.via = on_link(d, 2 + pick(5));
    const std::string via = hop.via ? fmt::format("via {} ", hop.via->to_string()) : "";
    text += hops > 1 ? fmt::format(" nexthop {}dev {} weight {}", via, hop.device, hop.weight)
                     : fmt::format(" {}dev {}", via, hop.device);
    if (!hop.via) r.scope = "link";
    r.next_hops.push_back(hop);
  }
  return text;
}

std::string RoutingOracle::random_rule(PolicyRule& r, std::uint32_t priority) {
  r.family = GetParam();
  r.priority = priority;
  std::string text;
  if (chance(15)) {
    r.negate = true;
    text += "not ";
  }
  if (chance(35)) {
    r.has_from = true;
    r.from_prefix = chance(50) ? Prefix::host(chance(50) ? on_link(pick(kDevices), 1) : remote()) : remote_net();
    text += fmt::format("from {} ", r.from_prefix.to_string());
  } else {
    text += "from all ";
  }
  if (chance(25)) {
    r.has_to = true;
    r.to_prefix = remote_net();
    text += fmt::format("to {} ", r.to_prefix.to_string());
  }
  if (chance(30)) {
    r.fwmark = 1 + pick(3);
    if (chance(40)) r.fwmask = 0x1;
    if (r.fwmask == 1) r.fwmark = *r.fwmark & 1;
    if (*r.fwmark == 0) r.fwmark = 1;
    text += fmt::format("fwmark {:#x}/{:#x} ", *r.fwmark, r.fwmask);
  }
  if (chance(20)) {
    r.iif = chance(30) ? "lo" : device(pick(kDevices));
    text += fmt::format("iif {} ", r.iif);
  }
  if (chance(10)) {
    r.oif = device(pick(kDevices));
    text += fmt::format("oif {} ", r.oif);
  }
  if (v4() && chance(10)) {
    r.tos = 0x10;
    text += "tos 0x10 ";
  }
  if (chance(15)) {
    r.ip_proto = chance(50) ? ip_proto::tcp : ip_proto::udp;
    text += fmt::format("ipproto {} ", *r.ip_proto);
  }
  if (chance(15)) {
    r.dport = host::PortRange{80, static_cast<std::uint16_t>(80 + pick(2) * 20)};
    text += r.dport->first == r.dport->last ? "dport 80 " : fmt::format("dport {}-{} ", r.dport->first, r.dport->last);
  }
  if (chance(10)) {
    r.sport = host::PortRange{1000, 1000};
    text += "sport 1000 ";
  }
  const unsigned what = pick(100);
  if (what < 85) {
    static constexpr const char* kTables[] = {"100", "101", "102", "main", "199"};
    r.table = kTables[pick(5)];
    text += fmt::format("lookup {} ", r.table);
    if (chance(25)) {
      r.suppress_prefix_length = static_cast<int>(v4() ? pick(3) * 8 : pick(3) * 16);
      text += fmt::format("suppress_prefixlength {} ", *r.suppress_prefix_length);
    }
  } else if (what < 92) {
    r.action = RuleAction::goto_;
    r.goto_priority = chance(30) ? priority + 3 : 32766;
    text += fmt::format("goto {} ", *r.goto_priority);
  } else {
    static constexpr std::pair<RuleAction, const char*> kActions[] = {
        {RuleAction::blackhole, "blackhole"}, {RuleAction::unreachable, "unreachable"}, {RuleAction::prohibit, "prohibit"}};
    const auto& [action, name] = kActions[pick(3)];
    r.action = action;
    text += fmt::format("{} ", name);
  }
  return text + fmt::format("pref {}", priority);
}

RouteQuery RoutingOracle::random_query() {
  RouteQuery q;
  q.to = chance(85) ? remote() : on_link(pick(kDevices), pick(3));
  if (q.to.value == on_link(0, 0).value || q.to.value == on_link(1, 0).value || q.to.value == on_link(2, 0).value)
    q.to = on_link(pick(kDevices), 1);
  if (chance(50)) {
    q.in_device = device(pick(kDevices));
    q.from = chance(60) ? remote() : on_link(pick(kDevices), 1 + pick(4));
  } else {
    if (chance(50)) q.from = on_link(pick(kDevices), 1);
    // With an address given, ip route get asks for an IPv6 device less strictly than a socket does.
    if (chance(20) && (v4() || !q.from)) q.out_device = device(pick(kDevices));
  }
  if (chance(50)) q.mark = pick(4);
  if (v4() && chance(20)) q.tos = 0x10;
  q.proto = chance(30) ? ip_proto::tcp : ip_proto::udp;  // UDP is also what ip route get takes when it is not shown
  if (chance(60)) {
    q.dport = static_cast<std::uint16_t>(80 + pick(3) * 10);
    q.sport = static_cast<std::uint16_t>(1000 + pick(2));
  }
  return q;
}

std::string question(const RouteQuery& q) {
  std::string text = q.to.to_string();
  if (q.from) text += " from " + q.from->to_string();
  if (!q.is_local()) text += " iif " + q.in_device;
  if (!q.out_device.empty()) text += " oif " + q.out_device;
  if (q.tos != 0) text += fmt::format(" tos {:#x}", q.tos);
  if (q.mark != 0) text += fmt::format(" mark {}", q.mark);
  if (q.proto != 0) text += fmt::format(" ipproto {} sport {} dport {}", q.proto, q.sport, q.dport);
  return text;
}

// What the kernel's error means; several causes share one.
const char* error_of(const std::string& text) {
  for (const char* word :
       {"No route to host", "Network is unreachable", "Invalid argument", "Permission denied", "Invalid cross-device link"})
    if (text.find(word) != std::string::npos) return word;
  return "?";
}

const char* expected_error(const RouteAnswer& a) {
  switch (a.kind) {
    case Kind::blackhole: return "Invalid argument";
    case Kind::prohibit: return "Permission denied";
    case Kind::unreachable: return a.route != nullptr ? "No route to host" : "Network is unreachable";
    default: return "Network is unreachable";
  }
}

void RoutingOracle::compare(const Namespace& ns, const RouteQuery& q) {
  const Output out = ns.exec(fmt::format("ip {} -j route get {}", dash(), question(q)));
  RouteAnswer ours = engine::find_route(host_, q);
  const std::string context = fmt::format("{}\n{}\nkernel: {}", setup_, question(q), out.text);
  EXPECT_TRUE(ours.assumptions.empty()) << context;
  const bool ok = ours.kind == Kind::unicast || ours.is_for_me();
  engine::Validation valid;
  if (ok && v4() && !q.is_local()) {
    // With several next hops the validation is done for the one that is taken; all devices are tried.
    valid = engine::validate_source(host_, {q, ours.kind == Kind::unicast ? ours.hops.front().get().device : ""});
    if (ours.hops.size() > 1) {
      const auto other = engine::validate_source(host_, {q, ours.hops.back().get().device});
      if (other.accepted != valid.accepted) return;
    }
  }
  const auto json = nlohmann::json::parse(out.text, nullptr, false);
  const bool answered = json.is_array() && !json.empty() && json[0].contains("dst");
  const std::string type = answered ? json[0].value("type", std::string("unicast")) : "";
  if (!ok || !valid.accepted) {
    ++with_error_;
    if (answered) {  // IPv6 answers with the route's type in place of an error
      EXPECT_TRUE(!v4() && type != "unicast" && type != "local") << context;
      return;
    }
    if (!ok) {
      EXPECT_STREQ(error_of(out.text), expected_error(ours)) << context;
      return;
    }
    EXPECT_STRNE(error_of(out.text), "?") << context << explain::phrase(valid.why);
    return;
  }
  if (!answered) {
    ADD_FAILURE() << context;
    return;
  }
  ++compared_;
  if (ours.route == nullptr) {
    EXPECT_EQ(ours.device, json[0].value("dev", "")) << context;
    return;
  }
  by_rule_ += ours.route->table != "main" && ours.route->table != "local";
  forwarded_ += !q.is_local();
  if (ours.kind == Kind::local) {
    EXPECT_EQ(type, v4() || type != "anycast" ? "local" : "anycast") << context;
    return;
  }
  if (ours.kind == Kind::broadcast) {
    EXPECT_EQ(type, "broadcast") << context;
    return;
  }
  EXPECT_EQ(type, "unicast") << context;
  const std::string dev = json[0].value("dev", "");
  const std::string via = json[0].value("gateway", "");
  const bool found = std::any_of(ours.hops.begin(), ours.hops.end(), [&](const engine::RouteHop& h) {
    return h.get().device == dev && (h.get().via ? h.get().via->to_string() : "") == via;
  });
  EXPECT_TRUE(found) << context << "ours: " << ours.route->to.to_string() << " table " << ours.route->table.str() << " dev "
                     << ours.hops.front().get().device.str();
  const std::string table = json[0].value("table", "main");
  EXPECT_EQ(ours.route->table, table) << context;
  if (!q.is_local() || q.from || ours.hops.size() > 1) return;
  const auto source = engine::choose_source(host_, ours, 0, q.to);
  EXPECT_EQ(source ? source->to_string() : "", json[0].value("prefsrc", "")) << context;
}

TEST_P(RoutingOracle, AgreesWithTheKernel) {
  const Namespace ns;
  if (!ns.usable()) GTEST_SKIP() << "needs root and network namespaces";
  make_devices(ns);
  for (int round = 0; round < kRounds; ++round) {
    flush(ns);
    base_model();
    setup_.clear();
    auto& routes = v4() ? host_.routes_v4.value : host_.routes_v6.value;
    auto& rules = v4() ? host_.rules_v4.value : host_.rules_v6.value;
    for (int i = 0; i < 20; ++i) {
      Route r;
      const std::string line = "route add " + random_route(r);
      const bool twice = std::any_of(routes.begin(), routes.end(), [&](const Route& o) {
        return o.to == r.to && o.sources == r.sources && o.table == r.table && o.metric == r.metric && o.tos == r.tos;
      });
      if (twice) continue;
      if (!ns.ip_batch(dash(), line + "\n")) continue;
      setup_ += line + "\n";
      routes.push_back(r);
    }
    const unsigned count = round % 4 == 0 ? 0 : 6;
    for (unsigned i = 0; i < count; ++i) {
      PolicyRule r;
      const std::string line = "rule add " + random_rule(r, 100 + i);
      if (!ns.ip_batch(dash(), line + "\n")) continue;
      setup_ += line + "\n";
      rules.push_back(r);
    }
    if (v4()) {
      static constexpr int kFilters[] = {0, 0, 1, 2};
      for (unsigned i = 0; i < kDevices; ++i) {
        const int value = kFilters[pick(4)];
        for (const auto& [name, v] : {std::pair("rp_filter", value), std::pair("src_valid_mark", value == 1 ? 1 : 0)}) {
          ns.exec(fmt::format("sysctl -qw net.ipv4.conf.v{}.{}={}", i, name, v));
          host_.sysctl.value[fmt::format("net.ipv4.conf.v{}.{}", i, name)] = {std::to_string(v), {}};
          setup_ += fmt::format("v{}.{}={}\n", i, name, v);
        }
        for (const char* name : {"accept_local", "send_redirects"})
          host_.sysctl.value[fmt::format("net.ipv4.conf.v{}.{}", i, name)] = {name[0] == 's' ? "1" : "0", {}};
      }
      for (const char* name : {"rp_filter", "src_valid_mark", "accept_local", "send_redirects"}) {
        const int v = name[0] == 's' && name[1] == 'e' ? 1 : 0;
        ns.exec(fmt::format("sysctl -qw net.ipv4.conf.all.{}={}", name, v));
        host_.sysctl.value[fmt::format("net.ipv4.conf.all.{}", name)] = {std::to_string(v), {}};
      }
      host_.sysctl.present = true;
    }
    for (int i = 0; i < kQueries; ++i) compare(ns, random_query());
    if (HasFailure()) {
      fmt::print("{}{}", ns.exec(fmt::format("ip {} rule", dash())).text,
                 ns.exec(fmt::format("ip {} route show table all", dash())).text);
      break;
    }
  }
  fmt::print("compared {} routes ({} by rules or other tables, {} forwarded) and {} errors\n", compared_, by_rule_, forwarded_,
             with_error_);
  EXPECT_GT(compared_, 50);
}

INSTANTIATE_TEST_SUITE_P(Families, RoutingOracle, ::testing::Values(Family::v4, Family::v6),
                         [](const auto& p) { return p.param == Family::v4 ? "v4" : "v6"; });

}  // namespace
}  // namespace egt::test
