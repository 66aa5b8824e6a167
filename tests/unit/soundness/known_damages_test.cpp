// Damages of dumps that once made a wrong answer proven.
#include <gtest/gtest.h>

#include <algorithm>

#include "answers.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

class KnownDamages : public ::testing::Test {
 protected:
  const fs::path& dump(const std::string& of) const {
    const auto found = std::find_if(copy_.dumps().begin(), copy_.dumps().end(),
                                    [&](const fs::path& d) { return d.string().ends_with("/" + of); });
    EXPECT_NE(found, copy_.dumps().end()) << of;
    return *found;
  }
  void damage(const std::string& of, const std::string& text, const std::string& what) const {
    copy_.expect_nothing_wrong_proven(dump(of), &text, what);
  }

 private:
  DamagedCopy copy_{fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary"};
};

// nft lists all rules of a table of which iptables-save ends among them.
TEST_F(KnownDamages, RulesEndAmongThoseOfATable) {
  const std::string text = read_text(dump("master-02-demo/iptables-save"));
  const std::size_t last = text.find("-A FORWARD -d 10.132.0.0/14");
  ASSERT_NE(std::string::npos, last);
  damage("master-02-demo/iptables-save", text.substr(0, last), "cut behind a line");
  damage("master-02-demo/iptables-save", text.substr(0, last + 20), "cut within a line");
}

// nft lists no such chain, which iptables-save shows where there is none.
TEST_F(KnownDamages, APolicyIsAnother) {
  std::string text = read_text(dump("master-02-demo/iptables-save"));
  const std::size_t at = text.find(":POSTROUTING ACCEPT");
  ASSERT_NE(std::string::npos, at);
  damage("master-02-demo/iptables-save", text.replace(at, 19, ":POSTROUTING DROP"), "another policy");
}

// The only flow of a logical flow that names a port of a router is lost: that of replies into the pods' subnet.
TEST_F(KnownDamages, AFlowOfARoutersPortIsLost) {
  const std::string of = "master-03-demo/ovs-ofctl_dump-flows_br-int";
  std::vector<std::string> lines = lines_of(read_text(dump(of)));
  const auto lost = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("priority=100,reg15=0x1,metadata=0x4 actions=resubmit(,64)") != std::string::npos;
  });
  ASSERT_NE(lost, lines.end());
  lines.erase(lost);
  damage(of, joined(lines), "lost a flow");
}

// A device whose dumps are inconsistent decides nothing, be it by the place in a bridge that one of them gives it.
TEST_F(KnownDamages, DevicesAreAnotherNodes) {
  damage("router/ip_-d_link", read_text(dump("master-02-demo/ip_-d_link")), "of another node");
}

}  // namespace
}  // namespace egt::assess
