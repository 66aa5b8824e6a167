// What sentences name, as text.
#include "egtrace/base/term.h"

#include <gtest/gtest.h>

namespace egt {
namespace {

const IpAddr kAddress = IpAddr::v4(0xc0000207);  // 192.0.2.7

TEST(Terms, AreTexts) {
  EXPECT_EQ(fill("{0} {1} {2} {3}", {"br-ex", 7, kAddress, Prefix{kAddress, 24}}), "br-ex 7 192.0.2.7 192.0.2.7/24");
  EXPECT_EQ(fill("{node}[ of {object}]", {}, {{"node", "w1"}, {"object", if_any("")}}), "w1");
}

TEST(Terms, AreLists) {
  EXPECT_EQ(fill("{0}", {Term::Names{"a", "b"}}), "a, b");
  EXPECT_EQ(fill("{0}", {Alternatives{{"a", "b"}}}), "a or b");
  EXPECT_EQ(fill("{0}", {Term::Devices{{"eth0", "w1"}, {"eth1", "w2"}}}), "eth0 on w1 and eth1 on w2");
  EXPECT_EQ(fill("{0}", {Term::Addresses{{kAddress, "w1"}, {kAddress, "w2"}}}), "192.0.2.7 by w1 or 192.0.2.7 by w2");
  EXPECT_EQ(fill("{0:pod|pods} {0}", {Term::Few{{"a", kAddress}}}), "pod a (192.0.2.7)");
  EXPECT_EQ(fill("{0:pod|pods} {0}", {Term::Few{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}}}), "pods a, b, c, d and 2 more");
}

TEST(Terms, AreAbsent) {
  for (const Term& absent : {Term(), Term(std::optional<IpAddr>()), more(0), if_any(""), Term(Term::Names{}),
                             Term(Alternatives{}), Term(Term::Few{}), Term(Term::Devices{}), Term(Term::Addresses{})})
    EXPECT_EQ(fill("left[ by {0}||, by nobody]", {absent}), "left, by nobody");
  EXPECT_EQ(fill("left[ by {0}]", {""}), "left by ") << "an empty text that is there";
}

}  // namespace
}  // namespace egt
