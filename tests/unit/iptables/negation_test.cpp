// To which option a '!' belongs, as iptables-restore and iptables-save have it.
#include <gtest/gtest.h>

#include <string>

#include "egtrace/parsers/format.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

TEST(Negation, BelongsToTheOptionBehindIt) {
  for (const char* match :
       {"-m ecn --ecn-tcp-ece ! --ecn-tcp-cwr", "-m ecn ! --ecn-tcp-ece --ecn-tcp-cwr", "-m ecn ! --ecn-tcp-ece ! --ecn-tcp-cwr",
        "-m ecn ! --ecn-ip-ect 2", "-m ecn ! --ecn-tcp-cwr --ecn-ip-ect 1", "-m physdev --physdev-is-in ! --physdev-is-out",
        "-m tcp ! --dport 80"}) {
    const std::string text = "*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -p tcp " + std::string(match) + " -j ACCEPT\nCOMMIT\n";
    Formats formats(iptables_formats());
    const Dump dump = formats.dump(text, "iptables-save");
    EXPECT_EQ(text, formats.reprint(dump).out);
  }
}

TEST(Negation, OldStyleStandsBeforeTheValue) {
  Formats formats(iptables_formats());
  const Dump dump =
      formats.dump("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -p tcp -m tcp --dport ! 80 -j ACCEPT\nCOMMIT\n", "iptables-save");
  EXPECT_NE(std::string::npos, formats.reprint(dump).out.find("-m tcp ! --dport 80 -j"));
}

}  // namespace
}  // namespace egt::parsers
