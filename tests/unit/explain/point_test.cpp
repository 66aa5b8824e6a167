#include "egtrace/explain/point.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "egtrace/base/nearest.h"
#include "egtrace/engine/workload.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {
namespace {

TEST(Point, KnowsEveryForm) {
  struct Case {
    const char* text;
    Point::Kind kind;
    const char* namespace_;
    const char* name;
    const char* ip;
    int port;
    const char* node;
  };
  const Case cases[] = {
      {"shop/cart-1", Point::Kind::pod, "shop", "cart-1", "", -1, ""},
      {"shop/cart-1:8080", Point::Kind::pod, "shop", "cart-1", "", 8080, ""},
      {"10.0.0.1", Point::Kind::ip, "", "", "10.0.0.1", -1, ""},
      {"10.0.0.1:80@worker-1", Point::Kind::ip, "", "", "10.0.0.1", 80, "worker-1"},
      {"[fd00::1]:443", Point::Kind::ip, "", "", "fd00::1", 443, ""},
      {"fd00::1", Point::Kind::ip, "", "", "fd00::1", -1, ""},
      {"svc:shop/cart:80", Point::Kind::service, "shop", "cart", "", 80, ""},
      {"node:worker-1", Point::Kind::node, "", "worker-1", "", -1, ""},
      {"external:192.0.2.7", Point::Kind::external, "", "", "192.0.2.7", -1, ""},
      {"port:shop_cart-1", Point::Kind::port, "", "shop_cart-1", "", -1, ""},
      {"port:5@worker-1", Point::Kind::port, "", "5", "", -1, "worker-1"},
      {"host:gateway", Point::Kind::node, "", "gateway", "", -1, ""},
      {"cart-1:8080", Point::Kind::pod, "", "cart-1", "", 8080, ""},
      {"deploy/cart", Point::Kind::pod, "", "cart", "", -1, ""},
      {"shop/deploy/cart:80", Point::Kind::pod, "shop", "cart", "", 80, ""},
      {"svc:shop/cart:http", Point::Kind::service, "shop", "cart", "", -1, ""},
      {"cart.shop.svc:80", Point::Kind::service, "shop", "cart", "", 80, ""},
      {"cart.shop.svc.cluster.local:http", Point::Kind::service, "shop", "cart", "", -1, ""},
  };
  for (const Case& c : cases) {
    const auto p = parse_point(c.text);
    ASSERT_TRUE(p) << c.text;
    EXPECT_EQ(p->kind, c.kind) << c.text;
    EXPECT_EQ(p->namespace_, c.namespace_) << c.text;
    EXPECT_EQ(p->name, c.name) << c.text;
    EXPECT_EQ(p->ip ? p->ip->to_string() : "", c.ip) << c.text;
    EXPECT_EQ(p->port ? *p->port : -1, c.port) << c.text;
    EXPECT_EQ(p->at_node, c.node) << c.text;
  }
}

TEST(Point, CompletesPodsWithTheNamespace) {
  const auto p = parse_point("pod/cart-1", "shop");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->namespace_, "shop");
  EXPECT_EQ(p->name, "cart-1");
}

TEST(Point, RefusesWhatIsNoPlace) {
  for (const char* text : {"", "10.0.0.1:99999", "a/b/c", "svc:cart", "external:cart", "[fd00::1]80", "10.0.0.300", "/x"})
    EXPECT_FALSE(parse_point(text)) << text;
}

TEST(Point, NamesTheNearestPod) {
  cluster::Cluster cluster;
  cluster::Pod pod;
  pod.namespace_ = "shop";
  pod.name = "cart-7d4b";
  cluster.objects.pods.add(pod);
  const auto r = resolve(*parse_point("shop/cart-7d4c"), cluster, engine::Workloads(cluster));
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message.find("did you mean shop/cart-7d4b?"), std::string::npos) << r.error().message;
}

cluster::Cluster shop() {
  cluster::Cluster cluster;
  for (const auto& [space, name] : std::vector<std::pair<const char*, const char*>>{{"shop", "cart-7d4b9-xk2p1"},
                                                                                    {"shop", "cart-redis-0"},
                                                                                    {"billing", "invoice-d1"},
                                                                                    {"billing", "twin"},
                                                                                    {"shop", "twin"}}) {
    cluster::Pod pod;
    pod.namespace_ = space;
    pod.name = name;
    pod.addresses = {*Prefix::parse("10.0.0.5/32")};
    cluster.objects.pods.add(pod);
  }
  cluster::Service service;
  service.namespace_ = "shop";
  service.name = "front";
  service.cluster_ips = {*IpAddr::parse("10.96.0.7")};
  service.ports = {{"http", "TCP", 8000, 0, ""}, {"metrics", "TCP", 9090, 0, ""}};
  cluster.objects.services.add(service);
  return cluster;
}

TEST(Point, FindsBareNamesDeploymentsAndPortNames) {
  const cluster::Cluster cluster = shop();
  const engine::Workloads workloads(cluster);
  const auto name = [&](const char* text, const char* space = "") {
    const auto r = resolve(*parse_point(text, space), cluster, workloads);
    return r ? r->name : r.error().message;
  };
  EXPECT_EQ("billing/invoice-d1", name("invoice-d1"));
  EXPECT_EQ("shop/cart-7d4b9-xk2p1", name("deploy/cart"));
  EXPECT_EQ("shop/cart-redis-0", name("sts/cart-redis"));
  EXPECT_EQ("shop/twin", name("twin", "shop"));
  EXPECT_EQ("twin is in several namespaces: billing/twin, shop/twin", name("twin"));
  EXPECT_EQ(8000, *resolve(*parse_point("svc:shop/front:http"), cluster, workloads)->port);
  EXPECT_EQ(9090, *resolve(*parse_point("front.shop.svc:metrics"), cluster, workloads)->port);
  EXPECT_EQ("service shop/front has no port htpp (did you mean http?)", name("svc:shop/front:htpp"));
}

TEST(Point, SaysWhatCannotBe) {
  EXPECT_EQ("'10.0.0.300:80': 10.0.0.300 is no IP address", parse_point("10.0.0.300:80").error().message);
  EXPECT_EQ("'10.0.0.1:99999': 99999 is no port", parse_point("10.0.0.1:99999").error().message);
  EXPECT_EQ("'shop/cart:99999': 99999 is no port", parse_point("shop/cart:99999").error().message);
  EXPECT_EQ("", parse_point("pod/cart")->namespace_);
}

// A pod that is not where the question has it would be without a port there, and its packets would seem to be lost.
TEST(Point, IsOnTheNodeThatItNames) {
  cluster::Cluster cluster = shop();
  cluster.ensure_node("w1");
  cluster.ensure_node("w2");
  cluster::Pod pod;
  pod.namespace_ = "shop";
  pod.name = "api";
  pod.node = "w1";
  pod.addresses = {*Prefix::parse("10.1.0.5/24")};
  cluster.objects.pods.add(pod);
  for (const cluster::PodPhase phase : {cluster::PodPhase::pending, cluster::PodPhase::succeeded}) {
    cluster::Pod idle;
    idle.namespace_ = "shop";
    idle.name = phase == cluster::PodPhase::pending ? "new" : "done";
    idle.phase = phase;
    cluster.objects.pods.add(idle);
  }
  const engine::Workloads workloads(cluster);
  const auto error = [&](const char* text) {
    const auto r = resolve(*parse_point(text), cluster, workloads);
    return r ? std::string() : r.error().message;
  };
  EXPECT_EQ("", error("shop/api@w1"));
  EXPECT_EQ("pod shop/api is on w1, not on w2", error("shop/api@w2"));
  EXPECT_EQ("10.1.0.5 is on w1, not on w2", error("10.1.0.5@w2"));
  EXPECT_EQ("", error("10.9.9.9@w2"));
  EXPECT_EQ("the snapshot has no node or network w3 (did you mean w1, w2?)", error("shop/api@w3"));
  EXPECT_EQ("pod shop/new is Pending and has no address", error("shop/new"));
  EXPECT_EQ("pod shop/done has ended (Succeeded) and has no address", error("shop/done"));
  EXPECT_EQ("the snapshot has no pod cart-redis-1 (did you mean cart-redis-0?)", error("cart-redis-1"));
}

// An unknown address starts outside only where no network of the cluster has it.
TEST(Point, AddressesOfPodNetworksAreNotOutside) {
  cluster::Cluster cluster;
  cluster::NodeObject object;
  object.name = "w1";
  object.pod_subnets = {*Prefix::parse("10.1.0.0/24")};
  cluster.objects.nodes.add(object);
  cluster::Node& node = cluster.ensure_node("w1");
  const auto port = [&](const char* name, const char* type, const char* datapath, bool on_router, const char* peer,
                        const char* network) {
    ovn::LogicalPort p;
    p.name = name;
    p.type = type;
    p.datapath = datapath;
    p.on_router = on_router;
    p.peer = peer;
    if (network[0] != 0) p.addresses = {*Prefix::parse(network)};
    node.ovn.ports.push_back(p);
  };
  port("r-inner", "patch", "router", true, "s-inner", "10.2.0.1/24");
  port("s-inner", "patch", "inner", false, "r-inner", "");
  port("r-outer", "patch", "router", true, "s-outer", "192.0.2.1/24");
  port("s-outer", "patch", "outer", false, "r-outer", "");
  port("phys", "localnet", "outer", false, "", "");
  const engine::Workloads workloads(cluster);
  const auto kind = [&](const char* text) { return resolve(*parse_point(text), cluster, workloads)->kind; };
  EXPECT_EQ(kind("10.1.0.9"), "pod");
  EXPECT_EQ(kind("10.2.0.9:80"), "pod");
  EXPECT_EQ(kind("192.0.2.9"), "external");
  EXPECT_EQ(kind("10.3.0.9"), "external");
  EXPECT_EQ(kind("external:10.1.0.9"), "external");
  EXPECT_FALSE(resolve(*parse_point("10.1.0.9"), cluster, workloads)->place);
}

// Of several nodes or pods with one address none is silently taken for the sender.
TEST(Point, AddressOfSeveral) {
  cluster::Cluster cluster;
  const auto add = [&](const char* name, bool in_cluster, std::initializer_list<const char*> addresses) {
    cluster::Node& node = cluster.ensure_node(name);
    if (in_cluster) node.roles = {cluster::Role::cluster_node};
    host::Link link;
    link.name = "lo";
    for (const char* address : addresses) link.addresses.emplace_back().prefix = *Prefix::parse(address);
    node.host.links.value = {link};
  };
  add("server", false, {"198.51.100.44/24"});
  add("w1", true, {"198.51.100.44/32", "10.0.0.9/32"});
  add("w2", true, {"10.0.0.9/32"});
  const engine::Workloads workloads(cluster);
  const auto resolved = [&](const char* text) { return *resolve(*parse_point(text), cluster, workloads); };
  EXPECT_EQ(resolved("10.0.0.9").candidates, (std::vector<std::string>{"w1", "w2"}));
  EXPECT_EQ(resolved("external:10.0.0.9").candidates, (std::vector<std::string>{"w1", "w2"}));
  EXPECT_EQ(resolved("10.0.0.9@w2").node, "w2");
  EXPECT_TRUE(resolved("10.0.0.9@w2").candidates.empty());
  EXPECT_EQ(resolved("external:198.51.100.44").node, "server");  // the one outside the cluster
  EXPECT_TRUE(resolved("external:198.51.100.44").candidates.empty());
  EXPECT_EQ(resolved("198.51.100.44").candidates.size(), 2u);

  for (const char* name : {"blue", "green"}) {  // each in a network of its own
    cluster::Pod pod;
    pod.namespace_ = name;
    pod.name = "api";
    pod.node = "w1";
    cluster::PodAttachment& own = pod.other_networks.emplace_back();
    own.network = std::string(name) + "/net";
    own.addresses = {*Prefix::parse("10.1.0.5/24")};
    cluster.objects.pods.add(pod);
  }
  const engine::Workloads pods(cluster);
  const std::string default_network;
  EXPECT_EQ(resolve(*parse_point("10.1.0.5"), cluster, pods)->candidates, (std::vector<std::string>{"blue/api", "green/api"}));
  EXPECT_TRUE(resolve(*parse_point("10.1.0.5"), cluster, pods, &default_network)->candidates.empty());

  Question q;
  q.from = *parse_point("10.0.0.9");
  q.to = *parse_point("198.51.100.44:80");
  const auto unnamed = explain(cluster, q);
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().message, "10.0.0.9 is an address of several nodes; add @NODE to the one that sends: w1, w2");
}

TEST(Suggest, KeepsItsDistance) {
  EXPECT_EQ(nearest("explian", {"explain", "inspect", "parse"}), std::vector<std::string>{"explain"});
  EXPECT_TRUE(nearest("zzz", {"explain", "inspect"}).empty());
}

// As a resolver object, OVN's address sets or /etc/hosts have it; pods go first.
TEST(Point, ResolvesHostNames) {
  cluster::Cluster cluster;
  cluster.objects.resolved_names.add(
      {{"openshift-dns", "dns-1", {}}, "www.example.com", {*IpAddr::parse("198.51.100.7"), *IpAddr::parse("2001:db8::7")}});
  cluster.objects.resolved_names.add(
      {{"openshift-dns", "dns-2", {}}, "cdn.example.com", {*IpAddr::parse("198.51.100.8"), *IpAddr::parse("198.51.100.9")}});
  cluster.ensure_node("worker-1").host.hosts.push_back({*IpAddr::parse("192.0.2.8"), {"db.example.com", "db"}, {}});
  const engine::Workloads workloads(cluster);
  const auto resolved = [&](const char* text) { return resolve(*parse_point(text), cluster, workloads); };
  const auto www = resolved("www.example.com:443");
  ASSERT_TRUE(www) << www.error().message;
  EXPECT_EQ(www->kind, "external");
  EXPECT_EQ(www->name, "www.example.com");
  EXPECT_EQ(www->addresses.size(), 2u);
  EXPECT_EQ(www->port, std::optional<std::uint16_t>(443));
  ASSERT_TRUE(resolved("db"));
  EXPECT_EQ(resolved("db")->addresses.front().to_string(), "192.0.2.8");
  EXPECT_FALSE(resolved("db@worker-2"));
  const auto several = resolved("cdn.example.com");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().message, "cdn.example.com has the addresses 198.51.100.8, 198.51.100.9; give one of them");
  EXPECT_FALSE(resolved("no.example.com"));
}

}  // namespace
}  // namespace egt::explain
