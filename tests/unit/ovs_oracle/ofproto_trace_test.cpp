// Real outputs of ofproto/trace, next to the dumps of the bridges they ran on: the engine must visit the same flows in
// the same order. Skipped where the corpus is not there.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "egtrace/engine/ovs.h"
#include "egtrace/parsers/format.h"

namespace egt::engine {
namespace {

namespace fs = std::filesystem;

fs::path corpus() { return fs::path(EGTRACE_SOURCE_DIR) / ".." / "shared" / "corpus"; }

struct Pipe {
  void operator()(FILE* f) const { pclose(f); }
};

std::string read(const fs::path& path) {
  if (path.extension() != ".gz") {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::unique_ptr<FILE, Pipe> gzip(popen(("gzip -dc '" + path.string() + "'").c_str(), "r"));
  std::string text;
  char buffer[65536];
  while (const std::size_t n = gzip ? fread(buffer, 1, sizeof buffer, gzip.get()) : 0) text.append(buffer, n);
  return text;
}

std::string command_of(const fs::path& file) {
  std::string name = file.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void load(const parsers::Dump& dump, cluster::Cluster& c, cluster::Node& n) {
  const parsers::Format* best = nullptr;
  int confidence = 0;
  for (const auto formats : {parsers::ovs_ofctl_formats(), parsers::ovsdb_formats()})
    for (const parsers::Format& f : formats)
      if (const int sure = f.recognise(dump).confidence; sure > confidence) best = &f, confidence = sure;
  parsers::Report report;
  if (best) best->load(dump, c, n, report);
}

// The bridges of one node of one scenario.
struct Switches {
  cluster::Cluster cluster;
  cluster::Node* node = nullptr;
  std::vector<std::unique_ptr<std::string>> texts;

  explicit Switches(const fs::path& folder) {
    node = &cluster.ensure_node(folder.filename().string());
    std::vector<fs::path> files;
    for (const auto& e : fs::directory_iterator(folder))
      if (e.path().filename().string().starts_with("ovs-")) files.push_back(e.path());
    // The database first: ovs-ofctl cuts port names, and finds the whole ones there.
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
      const bool a_ofctl = a.filename().string().starts_with("ovs-ofctl");
      const bool b_ofctl = b.filename().string().starts_with("ovs-ofctl");
      return a_ofctl != b_ofctl ? b_ofctl : a < b;
    });
    for (const fs::path& file : files) {
      texts.push_back(std::make_unique<std::string>(read(file)));
      parsers::Dump dump;
      dump.path = file.filename().string();
      dump.command = command_of(file);
      dump.text = *texts.back();
      dump.source = cluster.sources->add(dump.path, dump.text, nullptr);
      load(dump, cluster, *node);
    }
  }
};

FlowKey parse_microflow(const std::string& text) {
  static const std::string kHead = "NXST_FLOW reply (xid=0x4):\n cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, ";
  const std::string line = kHead + text + " actions=drop\n";
  cluster::Cluster c;
  cluster::Node& n = c.ensure_node("scratch");
  parsers::Dump dump;
  dump.command = "ovs-ofctl dump-flows br-int";
  dump.text = line;
  dump.source = c.sources->add("scratch", dump.text, nullptr);
  load(dump, c, n);
  FlowKey k;
  const openflow::Bridge* b = n.bridge("br-int");
  if (b == nullptr || !b->flows || b->flows->size() != 1) {
    ADD_FAILURE() << "not understood: " << text;
    return k;
  }
  for (const openflow::MatchWord& w : openflow::match_of(b->flows->flow(0))) k.set_word(w.word, w.value);
  return k;
}

struct Visit {
  int table = 0, priority = 0;  // priority -1: no flow matched
  std::uint64_t cookie = 0;
  friend bool operator==(const Visit&, const Visit&) = default;
};

// The part of `visits` around the place where `other` begins to differ.
std::string text_of(const std::vector<Visit>& visits, const std::vector<Visit>& other) {
  constexpr std::ptrdiff_t kBefore = 3, kAfter = 4;
  const auto differ = std::mismatch(visits.begin(), visits.end(), other.begin(), other.end()).first - visits.begin();
  std::ostringstream out;
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, differ - kBefore); i < std::min(std::ssize(visits), differ + kAfter); ++i) {
    const Visit& v = visits[static_cast<std::size_t>(i)];
    out << '#' << i << ' ' << v.table << ':' << v.priority << ":0x" << std::hex << v.cookie << std::dec << "  ";
  }
  return out.str();
}

struct Trace {
  std::string bridge, flow;
  std::vector<Visit> visits;
  bool ends_at_group = false;  // the hash of the datapath decides: the trace goes no further
};

std::size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }

// Tables of the bridge through which an encapsulated packet leaves are the journey's affair, not the engine's.
class TunnelBlock {
 public:
  bool hides(const std::string& line, bool is_table) {
    const std::size_t indent = indent_of(line);
    if (line.find("-> tunneling from") != std::string::npos) expected_ = true;
    if (indent == std::string::npos) return inside_;
    if (expected_ && line.compare(indent, 7, "bridge(") == 0) {
      expected_ = false;
      inside_ = true;
      indent_ = indent;
      return true;
    }
    const bool underline = line.compare(indent, 2, "--") == 0;
    if (inside_ && (indent < indent_ || (indent == indent_ && !is_table && !underline))) inside_ = false;
    return inside_;
  }

 private:
  bool expected_ = false, inside_ = false;
  std::size_t indent_ = 0;
};

Trace parse_trace(const std::string& text) {
  static const std::regex command(R"(^# ovs-appctl ofproto/trace (\S+) '(.*)')");
  static const std::regex table(R"(^ *(\d+)\. (.*))");
  static const std::regex priority(R"(^(?:.*, )?priority (\d+)(?:, cookie 0x([0-9a-f]+))?$)");
  Trace t;
  TunnelBlock tunnel;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::smatch m, p;
    if (std::regex_match(line, m, command)) t.bridge = m[1], t.flow = m[2];
    if (line.find("-> selection method in use: dp_hash") != std::string::npos ||
        line.find("-> no live bucket") != std::string::npos)  // how 3.1 says the same
      t.ends_at_group = true;
    const bool is_table = std::regex_match(line, m, table);
    if (tunnel.hides(line, is_table) || !is_table || t.ends_at_group) continue;
    const std::string rest = m[2];
    // Behind a patch port a miss shows as the hidden rule that drops it.
    const bool hidden = std::regex_match(rest, std::regex("reg0=0x[123], priority 0"));
    if (rest.starts_with("No match") || hidden)
      t.visits.push_back({std::stoi(m[1]), -1, 0});
    else if (std::regex_match(rest, p, priority))
      t.visits.push_back({std::stoi(m[1]), std::stoi(p[1]), p[2].matched ? std::stoull(p[2], nullptr, 16) : 0});
  }
  return t;
}

struct First : Chooser {
  std::size_t choose(const ChoicePoint&) override { return 0; }
};

std::vector<Visit> walk(const Switches& switches, const Trace& t) {
  std::vector<Visit> visits;
  const openflow::Bridge* bridge = switches.node->bridge(t.bridge);
  if (bridge == nullptr) return visits;
  const FlowKey packet = parse_microflow(t.flow);
  NetworkState network_state;
  Record record;
  First chooser;
  OvsOptions options;
  options.ct_next.assign(64, ct_state::trk | ct_state::new_);
  options.packet_length.reset();
  SwitchSessions sessions;
  OvsEngine(sessions, *switches.node, network_state, record, chooser, options).run(*bridge, packet.u32(FieldId::in_port), packet);
  for (const Step& s : record.steps) {
    if (std::holds_alternative<Refused>(s.kind)) break;  // ofproto/trace does not follow what ovn-controller answers
    if (const auto* hit = std::get_if<TableMatch>(&s.kind)) visits.push_back({hit->table, hit->priority, hit->cookie});
    if (const auto* miss = std::get_if<TableMiss>(&s.kind)) visits.push_back({miss->table, -1, 0});
  }
  return visits;
}

std::vector<fs::path> scenarios() {
  std::vector<fs::path> found;
  if (fs::is_directory(corpus()))
    for (const auto& lab : fs::directory_iterator(corpus()))
      if (lab.is_directory())
        for (const auto& s : fs::directory_iterator(lab.path()))
          if (fs::is_directory(s.path() / "trace")) found.push_back(s.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string node_of(const fs::path& trace) {  // CASE.N.NODE.ofproto-trace.txt[.gz]
  const std::string name = trace.filename().string();
  const std::size_t end = name.find(".ofproto-trace");
  const std::size_t begin = name.rfind('.', end - 1);
  return name.substr(begin + 1, end - begin - 1);
}

TEST(OfprotoTrace, VisitsTheSameFlowsInTheSameOrder) {
  const std::vector<fs::path> all = scenarios();
  if (all.empty()) GTEST_SKIP() << "no corpus beside the sources";
  std::size_t compared = 0, equal = 0, flows = 0;
  for (const fs::path& scenario : all) {
    std::map<std::string, std::unique_ptr<Switches>> nodes;
    std::vector<fs::path> traces;
    for (const auto& e : fs::directory_iterator(scenario / "trace"))
      if (e.path().string().find(".ofproto-trace.txt") != std::string::npos) traces.push_back(e.path());
    std::sort(traces.begin(), traces.end());
    for (const fs::path& path : traces) {
      const std::string node = node_of(path);
      if (!nodes[node]) nodes[node] = std::make_unique<Switches>(scenario / node);
      const Trace trace = parse_trace(read(path));
      if (trace.visits.empty()) continue;  // only the command was kept
      std::vector<Visit> ours = walk(*nodes[node], trace);
      if (trace.ends_at_group && ours.size() > trace.visits.size()) ours.resize(trace.visits.size());
      ++compared;
      flows += trace.visits.size();
      equal += ours == trace.visits;
      if (ours != trace.visits)
        ADD_FAILURE() << path << "\n  ours  " << text_of(ours, trace.visits) << "\n  trace " << text_of(trace.visits, ours);
    }
  }
  std::cout << equal << " of " << compared << " traces equal, " << flows << " flows visited\n";
  EXPECT_GT(flows, 0u);
}

}  // namespace
}  // namespace egt::engine
