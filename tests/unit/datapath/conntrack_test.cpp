// The tables of connections against a plain list of them that is searched from its beginning.
#include "egtrace/engine/datapath/conntrack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {
namespace {

struct ListedConnection {
  ZoneKey zone;
  Tuple original, reply;
};

class ConnectionList {
 public:
  void insert(const ZoneKey& zone, const Tuple& original, const Tuple& reply) { list_.push_back({zone, original, reply}); }
  void erase(const ZoneKey& zone, const Tuple& original) {
    std::erase_if(list_, [&](const ListedConnection& c) { return c.zone == zone && c.original == original; });
  }
  const ListedConnection* find(const ZoneKey& zone, const Tuple& t, bool& reply) const {
    for (const bool by_reply : {false, true})
      for (const ListedConnection& c : list_)
        if (c.zone == zone && (by_reply ? c.reply : c.original) == t) {
          reply = by_reply;
          return &c;
        }
    return nullptr;
  }
  const ListedConnection* find_by_receiver(const ZoneKey& zone, const IpAddr& receiver, bool& reply) const {
    for (auto c = list_.rbegin(); c != list_.rend(); ++c) {
      if (c->zone != zone || (c->reply.dst != receiver && c->original.dst != receiver)) continue;
      reply = c->reply.dst == receiver;
      return &*c;
    }
    return nullptr;
  }

 private:
  std::vector<ListedConnection> list_;
};

class RandomConnections {
 public:
  explicit RandomConnections(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  // Few of each, so that tuples clash.
  IpAddr address() { return IpAddr::v4(0x0a000001 + below(3)); }
  Tuple tuple() {
    Tuple t;
    t.src = address();
    t.dst = address();
    t.proto = below(4) == 0 ? ip_proto::udp : ip_proto::tcp;
    t.sport = static_cast<std::uint16_t>(1000 + below(3));
    t.dport = static_cast<std::uint16_t>(80 + below(2));
    return t;
  }
  Tuple reply_of(const Tuple& original) { return below(2) == 0 ? reversed(original) : tuple(); }
  ZoneKey zone() {
    return {below(2) == 0 ? "a" : "b", below(3) == 0 ? ConntrackSpace::userspace : ConntrackSpace::kernel,
            static_cast<std::uint16_t>(below(2))};
  }

 private:
  std::mt19937 random_;
};

class TablesAndList {
 public:
  explicit TablesAndList(unsigned seed) : random_(seed) {
    for (const char* name : {"a", "b"}) {
      auto node = std::make_unique<cluster::Node>();
      node->name = name;
      const unsigned entries = random_.below(40);
      for (unsigned i = 0; i < entries; ++i) add_dumped(*node);
      cluster_.nodes.push_back(std::move(node));
    }
    tables = initial_network_state(cluster_, true).conntrack;
  }

  void change_both() {
    const ZoneKey zone = random_.zone();
    const Tuple t = random_.tuple();
    bool reply = false;
    if (random_.below(3) == 0) {
      if (const auto hit = tables.find(zone, t)) {
        const Tuple original = hit.connection->original;
        tables.erase(zone, *hit.connection);
        list_.erase(zone, original);
      }
    } else if (list_.find(zone, t, reply) == nullptr) {
      Connection c;
      c.original = t;
      c.reply = random_.reply_of(t);
      list_.insert(zone, c.original, c.reply);
      tables.insert(zone, c);
    }
  }

  void compare() {
    const ZoneKey zone = random_.zone();
    const Tuple t = random_.tuple();
    bool reply = false;
    EXPECT_EQ(tables.reply_taken(zone, t), list_.find(zone, t, reply) != nullptr);
    expect_same(tables.find(zone, t), list_.find(zone, t, reply), reply);
    const IpAddr receiver = random_.address();
    const ListedConnection* newest = list_.find_by_receiver(zone, receiver, reply);
    expect_same(tables.find_by_receiver(zone, receiver), newest, reply);
  }

  ConntrackTables tables;

 private:
  void add_dumped(cluster::Node& node) {
    host::ConntrackEntry e;
    e.original = random_.tuple();
    e.reply = random_.reply_of(e.original);
    e.zone = static_cast<std::uint16_t>(random_.below(2));
    list_.insert({node.name, ConntrackSpace::kernel, e.zone}, e.original, e.reply);
    node.host.conntrack.value.push_back(e);
  }

  static void expect_same(const ConntrackTables::Hit& hit, const ListedConnection* wanted, bool reply) {
    ASSERT_EQ(static_cast<bool>(hit), wanted != nullptr);
    if (wanted == nullptr) return;
    EXPECT_EQ(hit.reply_direction, reply);
    EXPECT_EQ(hit.connection->original, wanted->original);
    EXPECT_EQ(hit.connection->reply, wanted->reply);
  }

  RandomConnections random_;
  cluster::Cluster cluster_;
  ConnectionList list_;
};

TEST(Conntrack, FindsWhatAListFinds) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    TablesAndList both(seed);
    for (int step = 0; step < 60; ++step) {
      both.change_both();
      both.compare();
    }
  }
}

// A path that changes a dumped connection leaves it as it is to the others.
TEST(Conntrack, CopiesShareTheDumpAndChangeOnTheirOwn) {
  cluster::Cluster cluster;
  auto node = std::make_unique<cluster::Node>();
  node->name = "n1";
  host::ConntrackEntry e;
  e.original = {IpAddr::v4(1), IpAddr::v4(2), ip_proto::tcp, 1000, 80, 0, 0};
  e.reply = reversed(e.original);
  e.mark = 7;
  node->host.conntrack.value = {e};
  cluster.nodes.push_back(std::move(node));
  const ZoneKey zone{"n1", ConntrackSpace::kernel, 0};

  const NetworkState network_state = initial_network_state(cluster, true);
  NetworkState changed = network_state, erased = network_state, other = network_state;
  Connection& found = *changed.conntrack.find(zone, e.original).connection;
  found.mark = 8;
  changed.conntrack.insert(zone, {});
  EXPECT_EQ(&found, changed.conntrack.find(zone, e.reply).connection);
  erased.conntrack.erase(zone, *erased.conntrack.find(zone, e.reply).connection);

  EXPECT_EQ(NetworkState(changed).conntrack.find(zone, e.reply).connection->mark, 8U);
  EXPECT_FALSE(NetworkState(erased).conntrack.find(zone, e.original));
  EXPECT_FALSE(erased.conntrack.reply_taken(zone, e.reply));
  EXPECT_EQ(other.conntrack.find(zone, e.original).connection->mark, 7U);
}

}  // namespace
}  // namespace egt::engine
