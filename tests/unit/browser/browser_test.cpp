// Pages at work in a browser, as their reader has them: keys, clicks, permanent links, clipboard, paper, colours; with nothing on the console.
// EGTRACE_PICTURES=DIRECTORY keeps a picture of each page, narrow and wide, light and dark.
#include "support/browser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/background.h"
#include "support/hostile_snapshot.h"
#include "support/run.h"

namespace browser_test {
namespace {

using egt::testing::Browser;
using egt::testing::Ran;
using egt::testing::TemporaryDirectory;
using nlohmann::json;

const std::string kSample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
// A drop that a tracer saw, and a function at which the path is not known to be, of a pod of the sample.
const std::string kEvents =
    R"({"common":{"timestamp":1},"startup":{"retis_version":"1.6.4","clock_monotonic_offset":{"sec":1700000000,"nsec":0}}}
{"common":{"timestamp":1000},"kernel":{"symbol":"net:netif_receive_skb","probe_type":"raw_tracepoint"},"skb":{"ip":{"saddr":"10.132.0.13","daddr":"192.168.55.13","v4":{"offset":0},"protocol":6,"len":40,"ttl":64},"tcp":{"sport":40000,"dport":80,"seq":7,"ack_seq":0,"doff":5,"flags":2},"dev":{"name":"ce3e4c21937ca06","ifindex":0},"ns":{"netns":4026531840}},"skb-tracking":{"orig_head":99,"timestamp":7,"skb":1}}
{"common":{"timestamp":1040},"kernel":{"symbol":"some_function","probe_type":"kprobe"},"skb":{"ip":{"saddr":"10.132.0.13","daddr":"192.168.55.13","v4":{"offset":0},"protocol":6,"len":40,"ttl":64},"tcp":{"sport":40000,"dport":80,"seq":7,"ack_seq":0,"doff":5,"flags":2},"dev":{"name":"ovn-k8s-mp0","ifindex":0},"ns":{"netns":4026531840}},"skb-tracking":{"orig_head":99,"timestamp":7,"skb":1}}
{"common":{"timestamp":1050},"kernel":{"symbol":"skb:kfree_skb","probe_type":"raw_tracepoint"},"skb":{"ip":{"saddr":"10.132.0.13","daddr":"192.168.55.13","v4":{"offset":0},"protocol":6,"len":40,"ttl":64},"tcp":{"sport":40000,"dport":80,"seq":7,"ack_seq":0,"doff":5,"flags":2},"dev":{"name":"ovn-k8s-mp0","ifindex":0},"ns":{"netns":4026531840}},"skb-tracking":{"orig_head":99,"timestamp":7,"skb":1},"skb-drop":{"subsys":null,"drop_reason":"IP_RPFILTER"}}
)";
const std::string kDatapathFlows =
    "recirc_id(0),in_port(2),ct_state(-trk),eth_type(0x0800),ipv4(proto=6,frag=no), packets:1200, bytes:88000, used:0.5s, "
    "actions:ct(zone=19,nat),recirc(0x5)\n"
    "recirc_id(0x5),in_port(2),ct_state(+est+trk),eth_type(0x0800),ipv4(dst=10.128.0.0/255.252.0.0,frag=no), packets:1198, "
    "bytes:87000, used:0.5s, actions:3\n"
    "recirc_id(0),in_port(2),eth_type(0x86dd),ipv6(frag=no), packets:2, bytes:180, used:3.5s, actions:recirc(0x5)\n"
    "recirc_id(0),in_port(4),eth_type(0x0800),ipv4(frag=no), packets:0, bytes:0, used:never, actions:recirc(0x9)\n";

const std::string kCaptures = EGTRACE_SOURCE_DIR "/tests/golden/pcap-egressip-secondary/captures";

struct Pages {
  TemporaryDirectory home;
  std::unique_ptr<Browser> browser = std::make_unique<Browser>();
  std::string hostile = egt::testing::hostile_snapshot(home);

  // Written once.
  std::string url(const std::string& name) const {
    const std::string path = home.path() + "/" + name + ".html";
    if (::access(path.c_str(), F_OK) != 0) egt::testing::write_file(path, html(name));
    return "file://" + path;
  }

 private:
  std::string with_counters() const {
    const std::string dumps = home.path() + "/counted";
    std::filesystem::copy(kSample, dumps, std::filesystem::copy_options::recursive);
    home.file("counted/master-02-demo/nstat_-az",
              "#kernel\nIpInReceives 12 0.0\nTcpExtListenDrops 3 0.0\nTcpExtIPReversePathFilter 7 0.0\n");
    return dumps;
  }
  std::string datapath_flows() const {
    home.file("datapath/worker-1/ovs-appctl_dpctl.dump-flows", kDatapathFlows);
    return home.path() + "/datapath";
  }
  // Of the sample's bridge some seconds later, with one flow more, one fewer, and one that was reset.
  std::string later_flows() const {
    std::string text = egt::testing::read_file(kSample + "/master-03-demo/ovs-ofctl_dump-flows_br-ex"), later;
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      at = end + 1;
      const std::size_t age = line.find("duration="), packets = line.find("n_packets=");
      if (age != line.npos && packets != line.npos && ++number != 5) {
        const double old_age = std::stod(line.substr(age + 9));
        const unsigned long counted = std::stoul(line.substr(packets + 10));
        line.replace(packets + 10, line.find(',', packets) - packets - 10, std::to_string(counted + number * 7));
        line.replace(age + 9, line.find(',', age) - age - 9, std::to_string(number == 6 ? 1.5 : old_age + 12.5) + "s");
      }
      if (number != 5 || age == line.npos) later += line + "\n";
    }
    later += " cookie=0x0, duration=2.000s, table=0, n_packets=5, n_bytes=300, idle_age=1, priority=7,in_port=99 actions=drop\n";
    home.file("later/master-03-demo/ovs-ofctl_dump-flows_br-ex", later);
    return home.path() + "/later";
  }

  std::string html(const std::string& name) const {
    std::vector<std::string> words = {EGTRACE_BINARY, name, hostile};
    if (name == "report")
      words.insert(words.end(), {"--namespace", "demo-egress", "--paths", "3"});
    else
      words.insert(words.end(), {"--format", "html"});
    if (name == "audit") words.insert(words.end(), {"--namespace", "demo-egress"});
    if (name == "explain") words.insert(words.end(), {"--from", "10.133.0.9", "--to", "192.168.55.13:80"});
    if (name == "check")
      words.push_back(home.file(
          "e.yaml",
          "version: 1\nexpect:\n  - {name: n, from: demo-egress/requester-3a, to: 192.168.55.13:80, outcome: answered}\n"));
    if (name == "pcap") words = {EGTRACE_BINARY, "pcap", kSample, kCaptures, "--format", "html"};
    if (name == "pcap-events")
      words = {EGTRACE_BINARY, "pcap", with_counters(), "master-02-demo=" + home.file("retis.json", kEvents), "--format", "html"};
    if (name == "flows")
      words = {EGTRACE_BINARY,
               "flows",
               kSample,
               "--node",
               "master-03-demo",
               "--filter",
               "n_packets>0 and table>20",
               "--highlight",
               "nw_src=10.133.0.9",
               "--format",
               "html"};
    if (name == "flows-rates")
      words = {EGTRACE_BINARY, "flows", later_flows(), "--since", kSample, "--top", "100", "--format", "html"};
    if (name == "flows-sums")
      words = {EGTRACE_BINARY, "flows", kSample, "--node", "master-03-demo", "--by", "object", "--format", "html"};
    if (name == "flows-datapath") words = {EGTRACE_BINARY, "flows", datapath_flows(), "--datapath", "--format", "html"};
    if (name == "diff")
      words = {EGTRACE_BINARY, "diff",  kSample,  hostile,  "--only",   "objects",
               "--only",       "rules", "--only", "routes", "--format", "html"};
    const Ran ran = egt::testing::run(words);
    EXPECT_NE("", ran.out) << name << ": " << ran.err;
    return ran.out;
  }
};

class InBrowser : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Browser::is_there()) return;
    try {
      pages_ = new Pages;
    } catch (const std::runtime_error& failed) {  // a package that is there in name alone
      why_none_ = failed.what();
    }
  }
  static void TearDownTestSuite() { delete std::exchange(pages_, nullptr); }
  void SetUp() override {
    if (pages_ == nullptr) GTEST_SKIP() << why_none_ << ": pages are not opened";
    browser().look({});
  }
  void TearDown() override {
    if (pages_ == nullptr) return;
    EXPECT_EQ(std::vector<std::string>{}, browser().settled_messages());
  }

  static Browser& browser() { return *pages_->browser; }
  static void open(const std::string& page, const std::string& hash = "", const std::string& before = "") {
    go_to(pages_->url(page) + hash, before);
  }
  static void go_to(const std::string& url, const std::string& before = "") {
    static const std::string checks = egt::testing::read_file(EGTRACE_SOURCE_DIR "/tests/unit/browser/checks.js");
    browser().open(url, before);
    browser().value(checks + "; new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }
  static json value(const std::string& expression) { return browser().value(expression); }
  static bool is_true(const std::string& expression) { return browser().is_true(expression); }
  // Within a second, as what is laid out anew takes a moment.
  static bool comes_true(const std::string& expression) {
    return value("new Promise(done => { let left = 20; const look = () => { if (" + expression +
                 ") done(true); else if (left-- > 0) setTimeout(look, 50); else done(false); }; look(); })") == true;
  }
  static long long count(const std::string& selector) { return value("checks.count(" + json(selector).dump() + ")"); }
  static std::string hash() { return value("location.hash"); }

  static Pages* pages_;
  static std::string why_none_;
};
Pages* InBrowser::pages_ = nullptr;
std::string InBrowser::why_none_ = "no chromium";

TEST_F(InBrowser, PermanentLinksOpenWhatTheyLeadTo) {
  for (const char* id : {"path-1", "finding-2", "e2", "audit", "map", "dumps"}) {
    open("report", "#" + std::string(id));
    EXPECT_TRUE(comes_true("checks.in_view('" + std::string(id) + "')"))
        << id << " " << value("checks.place('" + std::string(id) + "')");
  }
  open("report", "#path-1");
  EXPECT_TRUE(is_true("document.getElementById('path-1').open"));
  // A link of the page, to an item that was closed.
  value("document.getElementById('finding-1').open = false");
  browser().click("#finding-1 a.self");
  EXPECT_EQ("#finding-1", hash());
  EXPECT_TRUE(comes_true("document.getElementById('finding-1').open && checks.in_view('finding-1')"));
  open("diff", "#difference-2");
  EXPECT_TRUE(comes_true("checks.in_view('difference-2')"));
  open("pcap", "#flow-3");
  EXPECT_TRUE(comes_true("document.getElementById('flow-3').open && checks.in_view('flow-3')"));
}

TEST_F(InBrowser, Searches) {
  open("report");
  const long long items = count(".item");
  browser().press("/");
  EXPECT_EQ("search", value("document.activeElement.id"));
  browser().type("requester-3a");
  EXPECT_LT(count(".item"), items);
  EXPECT_GT(count(".item"), 0);
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.item')).every(e => e.hidden !== e.textContent.includes('requester-3a'))"));
  EXPECT_EQ("#q=requester-3a", hash());
  const std::string words = value("document.getElementById('search-count').textContent");
  EXPECT_NE(std::string::npos, words.find(" of ")) << words;
  browser().press("Escape");
  EXPECT_EQ("", value("document.getElementById('search').value"));
  EXPECT_EQ(items, count(".item"));
  EXPECT_NE("search", value("document.activeElement.id"));
  open("report", "#q=no-such-word-anywhere");
  EXPECT_EQ(0, count(".item"));
  EXPECT_EQ(0u, std::string(value("document.getElementById('search-count').textContent")).find("0 of "));
  open("pcap", "#q=icmp");
  EXPECT_LT(count(".item"), static_cast<long long>(value("document.querySelectorAll('.item').length")));
}

TEST_F(InBrowser, FiltersTheAudit) {
  open("report", "#audit=requester-3a");
  const long long rows = value("document.querySelectorAll('.matrix tbody tr').length");
  EXPECT_LT(count(".matrix tbody tr"), rows);
  EXPECT_EQ("requester-3a", value("document.getElementById('audit-filter').value"));
  open("report", "#show=leak");
  EXPECT_EQ(count(".matrix .cell"), count(".matrix .cell[data-state=leak]"));
  open("audit");
  browser().click("#audit-filter");
  browser().type("nobody");
  EXPECT_EQ(0, count(".matrix tbody tr"));
  EXPECT_EQ(1, count(".nothing"));
  EXPECT_EQ("#audit=nobody", hash());
  value(
      "document.getElementById('audit-filter').value = ''; const s = document.getElementById('audit-state'); s.value = "
      "'answered'; s.dispatchEvent(new Event('change'))");
  EXPECT_EQ(count(".matrix .cell"), count(".matrix .cell[data-state=answered]"));
  EXPECT_EQ("#show=answered", hash());
}

// With the clipboard of the browser, where it is refused, and where there is none.
TEST_F(InBrowser, CopiesCommands) {
  for (const char* clipboard :
       {"", "Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject(new Error('no'))}})",
        "Object.defineProperty(navigator, 'clipboard', {value: undefined})"}) {
    open("report", "#path-1", clipboard);
    value("document.querySelector('#path-1 .copy').scrollIntoView()");
    browser().click("#path-1 .copy");
    value("new Promise(done => setTimeout(done, 50))");
    EXPECT_EQ("Copied", value("document.querySelector('#path-1 .copy').textContent")) << clipboard;
    browser().press("/");
    browser().paste();
    EXPECT_EQ(value("document.querySelector('#path-1 .copy').previousElementSibling.textContent"),
              value("document.getElementById('search').value"))
        << clipboard;
    browser().press("Escape");
  }
  // Where nothing helps the text is chosen, for the reader's own copying.
  open("report", "#path-1",
       "Object.defineProperty(navigator, 'clipboard', {value: undefined}); document.execCommand = () => false;");
  browser().click("#path-1 .copy");
  EXPECT_EQ(value("document.querySelector('#path-1 .copy').previousElementSibling.textContent"),
            value("getSelection().toString()"));
  EXPECT_EQ("Press Ctrl+C", value("document.querySelector('#path-1 .copy').textContent"));
}

// From the first control to the last, and back to the first.
TEST_F(InBrowser, TabReachesEveryControl) {
  for (const char* page : {"report", "explain", "diff", "pcap", "inspect", "flows-datapath", "pcap-events"}) {
    open(page);
    const long long controls = value("checks.controls().length");
    EXPECT_GT(controls, 0) << page;
    ASSERT_LT(controls, 600) << page;
    browser().press("Tab", static_cast<int>(controls) + 30);  // boxes that scroll are reached as well
    EXPECT_EQ(json::array(), value("checks.missed()")) << page;
  }
}

TEST_F(InBrowser, KeysDoWhatTheHelpSays) {
  open("report");
  browser().press("?");
  EXPECT_TRUE(is_true("document.getElementById('help').open"));
  browser().press("Escape");
  EXPECT_FALSE(is_true("document.getElementById('help').open"));
  browser().press("j");
  EXPECT_TRUE(is_true("document.getElementById('finding-1').contains(document.activeElement) && checks.in_view('finding-1')"));
  browser().press("j");
  EXPECT_TRUE(is_true("document.getElementById('finding-2').contains(document.activeElement)"));
  browser().press("k");
  EXPECT_TRUE(is_true("document.getElementById('finding-1').contains(document.activeElement)"));
  const bool open_before = is_true("document.getElementById('finding-1').open");
  for (const char* key : {"o", "Enter", " "}) {  // the last two are the browser's own
    browser().press(key);
    EXPECT_NE(open_before, is_true("document.getElementById('finding-1').open")) << key;
    browser().press(key);
    EXPECT_EQ(open_before, is_true("document.getElementById('finding-1').open")) << key;
  }
  browser().press("g");
  browser().press("p");
  EXPECT_EQ("#paths", hash());
  EXPECT_TRUE(comes_true("checks.in_view('paths')"));
  value("document.activeElement.blur()");
  while (!is_true("!!document.querySelector('#path-1.current')")) browser().press("j");
  browser().press("O");
  EXPECT_TRUE(is_true("Array.from(document.querySelectorAll('#path-1 details')).every(d => d.open)"));
  EXPECT_EQ("true", value("document.querySelector('#path-1 .open-all').getAttribute('aria-pressed')"));
}

TEST_F(InBrowser, EvidenceUnfoldsInPlace) {
  open("report");
  value("document.querySelector('a.evidence').focus()");
  browser().press("Enter");
  EXPECT_EQ("", hash());
  EXPECT_EQ(1, count(".around"));
  EXPECT_EQ(1, count(".around .hit"));
  browser().press("Enter");
  EXPECT_EQ(0, count(".around"));
}

TEST_F(InBrowser, TopologyShowsNodes) {
  open("report");
  EXPECT_EQ(0, count(".about-node"));
  browser().click(".plan [data-node='0']");
  EXPECT_EQ(1, count(".about-node"));
  EXPECT_EQ(1, count(".about-node[data-about='0']"));
  EXPECT_EQ("true", value("document.querySelector(\".plan [data-node='0']\").getAttribute('aria-pressed')"));
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.plan [data-ends]')).every(l => l.classList.contains('away') !== "
              "l.dataset.ends.split(' ').includes('0'))"));
  value("document.querySelector(\".plan [data-node='1']\").focus()");
  browser().press("Enter");
  EXPECT_EQ(1, count(".about-node[data-about='1']"));
  EXPECT_EQ(1, count(".about-node"));
  browser().press(" ");
  EXPECT_EQ(0, count(".about-node"));
  EXPECT_EQ(0, count(".plan .chosen"));
  browser().press("Enter");
  browser().press("Escape");
  EXPECT_EQ(0, count(".about-node"));
  browser().click(".plan [data-node='1']");
  browser().click(".about-node[data-about='1'] [data-filter]");
  EXPECT_EQ(value("document.querySelector(\".about-node[data-about='1'] h3\").textContent"),
            value("document.getElementById('audit-filter').value"));
  EXPECT_TRUE(comes_true("checks.in_view('audit')"));
}

TEST_F(InBrowser, GroupsFlows) {
  open("flows");
  const long long flows = value("document.querySelectorAll('.flow').length");
  ASSERT_GT(flows, 20);
  const auto choose = [](const std::string& id, const std::string& to) {
    value("{ const s = document.getElementById('" + id + "'); s.value = '" + to + "'; s.dispatchEvent(new Event('change')); }");
  };
  choose("flows-by", "object");
  EXPECT_EQ("#by=object", hash());
  EXPECT_FALSE(is_true("checks.shown(document.getElementById('flow-list'))"));
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.regrouped .key')).some(k => k.textContent.startsWith('EgressIP "
              "project-egressip'))"));
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.regrouped')).every(g => { const key = g.querySelector('.key').textContent;"
              " return Array.from(g.querySelectorAll('.flow')).every(f => { const of = "
              "Array.from(f.querySelectorAll('.by-object')).map(e => e.textContent);"
              " return of.length ? of.includes(key) : key === 'none'; }); })"));
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.regrouped .key')).findIndex(k => k.textContent === 'none') === "
              "document.querySelectorAll('.regrouped').length - 1"))
      << "last";
  EXPECT_EQ(flows, value("document.querySelectorAll('.regrouped .flow[id]').length")) << "each once under its own name";
  choose("flows-by", "lflow");
  EXPECT_EQ(flows, value("document.querySelectorAll('.regrouped .flow').length"));
  choose("flows-by", "");
  EXPECT_EQ(0, value("document.querySelectorAll('.regrouped').length"));
  EXPECT_EQ(flows, value("document.querySelectorAll('#flow-list .flow').length"));
  EXPECT_TRUE(is_true("Array.from(document.querySelectorAll('.flow')).every((f, i) => f.id === 'flow-' + (i + 1))"))
      << "in their old places";
  open("flows", "#q=10.133.0.9&by=datapath");
  EXPECT_EQ("datapath", value("document.getElementById('flows-by').value"));
  EXPECT_GT(count(".regrouped .flow"), 0);
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.group')).every(g => g.hidden || g.querySelector('.flow:not([hidden])'))"));
}

TEST_F(InBrowser, NarrowsAndFindsFlows) {
  open("flows", "#flows=marked");
  EXPECT_EQ(value("document.querySelectorAll('.flow.marked').length"),
            value("document.querySelectorAll('.flow:not([hidden])').length"));
  EXPECT_GT(value("document.querySelectorAll('.flow.marked').length"), 0);
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.group')).every(g => g.hidden !== !!g.querySelector('.flow.marked'))"));
  open("flows");
  browser().press("/");
  browser().type("lr_in_policy");
  EXPECT_GT(count(".flow"), 0);
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.flow')).every(e => e.hidden !== e.textContent.includes('lr_in_policy'))"));
  browser().press("Escape");
  open("flows", "#flow-7");
  EXPECT_TRUE(comes_true("document.getElementById('flow-7').open && checks.in_view('flow-7')"));
  const json line = value("document.querySelector('#flow-7 code.command').textContent");
  value("document.querySelector('#flow-7 .copy').scrollIntoView({block: 'center'})");
  browser().click("#flow-7 .copy");
  value("new Promise(done => setTimeout(done, 50))");
  EXPECT_EQ("Copied", value("document.querySelector('#flow-7 .copy').textContent"));
  browser().press("/");
  browser().paste();
  EXPECT_EQ(line, value("document.getElementById('search').value"));
  open("flows");
  browser().click("#flows-open");
  EXPECT_TRUE(is_true("Array.from(document.querySelectorAll('details.group')).every(g => g.open)"));
  browser().click("#flows-open");
  EXPECT_TRUE(is_true("Array.from(document.querySelectorAll('details.group')).every(g => !g.open)"));
  browser().press("g");
  browser().press("l");
  EXPECT_EQ("#flows", hash());
}

TEST_F(InBrowser, ShowsRatesAndTrees) {
  open("flows-rates");
  EXPECT_GT(count("#flow-list.rated"), 0);
  EXPECT_TRUE(
      is_true("document.body.textContent.includes('12.5 s after egressip-secondary:master-03-demo/ovs-ofctl_dump-flows_br-ex by "
              "the ages of flows')"));
  EXPECT_TRUE(is_true(
      "Array.from(document.querySelectorAll('.flow')).some(f => f.textContent.includes('new: not in the earlier dump'))"));
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('.flow')).some(f => f.textContent.includes('removed and added again'))"));
  open("flows-datapath");
  EXPECT_TRUE(is_true("document.getElementById('flow-2').closest('.beneath').previousElementSibling.id === 'flow-1'"));
  EXPECT_TRUE(
      is_true("document.body.textContent.includes('recirc(0x9): the dump has no flow of this recirc_id and input port')"));
}

TEST_F(InBrowser, ShowsEventsOfTracersAndCounters) {
  open("pcap-events", "#flow-1");
  EXPECT_TRUE(
      is_true("document.getElementById('flow-1').textContent.includes('traced: 3 events, 2 at hops of the predicted path')"))
      << value("document.getElementById('flow-1').textContent");
  EXPECT_TRUE(is_true("document.querySelector('#flow-1 .counters').textContent.includes('TcpExtIPReversePathFilter 7')"));
  EXPECT_TRUE(
      is_true("Array.from(document.querySelectorAll('#flow-1 .verdict.bad')).some(v => v.textContent === 'IP_RPFILTER' && "
              "checks.shown(v))"));
  EXPECT_TRUE(
      is_true("document.getElementById('flow-1').textContent.includes('unexplained: the stage of some_function is not known')"));
}

TEST_F(InBrowser, OpensAllStepsOfAPath) {
  open("explain");
  value("document.querySelector('.open-all').focus()");
  browser().press("Enter");
  EXPECT_TRUE(is_true("Array.from(document.querySelectorAll('details')).every(d => d.open)"));
  browser().press(" ");
  EXPECT_TRUE(is_true("Array.from(document.querySelectorAll('details')).every(d => !d.open)"));
}

// Nothing that a reader of the paper needs is closed, and no control is on it.
TEST_F(InBrowser, PrintsEverything) {
  for (const char* page : {"report", "explain", "diff", "pcap", "pcap-events", "flows", "flows-datapath"}) {
    open(page);
    value(
        "addEventListener('beforeprint', () => { window.left_closed = "
        "Array.from(document.querySelectorAll('details:not([open])')).filter(d => !d.matches('.path "
        "details.quiet')).map(checks.name); }); 1");
    const json open_before = value("Array.from(document.querySelectorAll('details')).map(d => d.open)");
    const std::string pdf = browser().print();
    EXPECT_EQ(0u, pdf.find("%PDF-")) << page;
    EXPECT_GT(pdf.size(), 20000u) << page;
    EXPECT_EQ(json::array(), value("window.left_closed")) << page;
    EXPECT_EQ(open_before, value("Array.from(document.querySelectorAll('details')).map(d => d.open)")) << page;
    if (const char* pictures = std::getenv("EGTRACE_PICTURES"))
      egt::testing::write_file(std::string(pictures) + "/" + page + ".pdf", pdf);
    browser().look({.width = 794, .dark = true, .printed = true});
    EXPECT_EQ(json::array(), value("checks.pale()")) << page;
    EXPECT_EQ(0, count("button, input, select, .bar")) << page;
    EXPECT_EQ("rgb(255, 255, 255)", value("getComputedStyle(document.body).backgroundColor")) << page;
    browser().look({});
  }
}

// The names of nodes and what they are, on paper too.
TEST_F(InBrowser, PrintsWhatIsKnownOfNodes) {
  open("report");
  browser().look({.width = 794, .printed = true});
  EXPECT_EQ(value("document.querySelectorAll('.about-node').length"), count(".about-node"));
}

class Looks : public InBrowser, public ::testing::WithParamInterface<const char*> {};

TEST_P(Looks, GoodOnPhonesAndScreensInTheDarkAndInLight) {
  const std::string page = GetParam();
  for (const int width : {420, 1400})
    for (const bool dark : {false, true}) {
      browser().look({.width = width, .dark = dark});
      open(page);
      const std::string what = page + "-" + std::to_string(width) + (dark ? "-dark" : "-light");
      if (const char* pictures = std::getenv("EGTRACE_PICTURES"))
        egt::testing::write_file(std::string(pictures) + "/" + what + ".png", browser().picture());
      EXPECT_EQ(json::array(), value("checks.too_wide()")) << what;
      value("document.querySelectorAll('details').forEach(d => { d.open = true; })");
      EXPECT_EQ(json::array(), value("checks.pale()")) << what;
      EXPECT_EQ(json::array(), value("checks.too_wide()")) << what << ", all open";
      EXPECT_TRUE(is_true("document.querySelectorAll('style, script').length === 2")) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Pages, Looks,
                         ::testing::Values("report", "explain", "triage", "audit", "check", "inspect", "pcap", "pcap-events",
                                           "diff", "flows", "flows-rates", "flows-sums", "flows-datapath"));

TEST_F(InBrowser, AsksTheServer) {
  const egt::testing::BackgroundProgram server(
      {EGTRACE_BINARY, "serve", pages_->hostile, "--paths", "1", "--namespace", "demo-egress", "-q", "--listen", "127.0.0.1:0"},
      "/");
  for (const int width : {420, 1400}) {
    browser().look({.width = width, .dark = width == 420});
    go_to(server.first_line());
    EXPECT_EQ(json::array(), value("checks.pale()"));
    EXPECT_EQ(json::array(), value("checks.too_wide()"));
    if (const char* pictures = std::getenv("EGTRACE_PICTURES"))
      egt::testing::write_file(std::string(pictures) + "/serve-" + std::to_string(width) + ".png", browser().picture());
  }
  browser().click("input[name=from]");
  browser().type("demo-egress/requester-3a");
  browser().press("Tab");
  EXPECT_EQ("to", value("document.activeElement.name"));
  browser().type("192.168.55.13:80");
  browser().follow([] { browser().press("Enter"); });
  EXPECT_TRUE(is_true("document.title.startsWith('tcp ')"));
  EXPECT_TRUE(is_true("document.body.textContent.includes('192.168.55.13:80')"));
  EXPECT_EQ(1, value("document.querySelectorAll('.open-all').length"));
}

}  // namespace
}  // namespace browser_test
