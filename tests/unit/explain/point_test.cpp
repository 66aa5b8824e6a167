#include <gtest/gtest.h>

#include "egtrace/engine/workload.h"
#include "egtrace/explain/point.h"
#include "egtrace/explain/suggest.h"

namespace egt::explain {
namespace {

TEST(Point, KnowsEveryForm) {
  struct Case { const char* text; Point::Kind kind; const char* namespace_; const char* name; const char* ip; int port; const char* node; };
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
  for (const char* text : {"", "cart", "10.0.0.1:99999", "a/b/c", "svc:cart", "external:cart", "[fd00::1]80", "10.0.0.300", "/x"})
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

TEST(Suggest, KeepsItsDistance) {
  EXPECT_EQ(nearest("explian", {"explain", "inspect", "parse"}), std::vector<std::string>{"explain"});
  EXPECT_TRUE(nearest("zzz", {"explain", "inspect"}).empty());
}

}  // namespace
}  // namespace egt::explain
