#include "execution_bench.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>

#include "egtrace/parsers/format.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "frame_bytes.h"
#include "frame_composer.h"

namespace egt::testing {
namespace {

constexpr const char* kProtocol = "OpenFlow15";
const std::vector<std::string>& bridges() {
  static const std::vector<std::string> all = {"br-int", "br-ex", "br-b"};
  return all;
}
// Without flows, so that a trace learns nothing.
constexpr const char* kBridgeThatDrops = "br-drop";
constexpr std::size_t kFileHeader = 24, kRecordHeader = 16;

std::uint32_t u32_at(const std::string& bytes, std::size_t at) {
  std::uint32_t v = 0;
  std::memcpy(&v, bytes.data() + at, sizeof v);
  return v;
}

std::string pcap_of(const std::vector<std::string>& frames) {
  const auto put = [](std::string& out, std::uint32_t v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); };
  std::string out;
  for (const std::uint32_t v : {0xa1b2c3d4u, 0x00040002u, 0u, 0u, 65535u, 1u}) put(out, v);
  for (const std::string& frame : frames) {
    const Bytes bytes = bytes_of(frame);
    const auto size = static_cast<std::uint32_t>(bytes.size());
    for (const std::uint32_t v : {0u, 0u, size, size}) put(out, v);
    out.append(bytes.begin(), bytes.end());
  }
  return out;
}

// What ovs-ofctl prints of a frame, in the words in which ofproto/trace takes it.
std::string as_request(const std::string& flow) {
  static const std::regex kNothing(
      R"((,in_port=(?:ANY|LOCAL)|,vlan_tci1?=0x0000|,nw_frag=no|,tcp_flags=0|,nd_[st]ll=00:00:00:00:00:00|,mpls_lse[12]=[^,]*)\b)");
  static const std::regex kPort(R"(\btp_(src|dst))");
  static const std::regex kIcmp(R"(\bicmp_(type|code))");
  // Of NSH it prints headers of IP as well, all of them zero, which no flow of NSH may have.
  static const std::regex kOfIp(R"(,nw_(proto|tos|ecn|ttl)=0\b)");
  if (flow.find(",dl_type=0x894f") != flow.npos) return std::regex_replace(std::regex_replace(flow, kNothing, ""), kOfIp, "");
  const std::string protocol = flow.substr(0, flow.find_first_of(",6"));
  const bool has_ports = protocol == "tcp" || protocol == "udp" || protocol == "sctp";
  static const std::regex kPorts(",tp_(src|dst)=[0-9]+");
  if (!has_ports && protocol != "icmp") return std::regex_replace(std::regex_replace(flow, kNothing, ""), kPorts, "");
  const std::string icmp = flow.starts_with("icmp6") ? "icmpv6_$1" : "icmp_$1";
  const std::string shorter = std::regex_replace(flow, kNothing, "");
  return std::regex_replace(std::regex_replace(shorter, kPort, protocol + "_$1"), kIcmp, icmp);
}

// A line in which Open vSwitch prints the headers of a frame.
ExecutionBench::Extracted read_headers(std::string line) {
  if (line.starts_with("in_port=")) line.erase(0, line.find(',') + 1);  // of a type without a name
  static const std::regex kSecondTag(",dl_vlan1=([0-9]+),dl_vlan_pcp1=([0-9]+)");
  std::smatch tag;
  U128 inner = 0;
  if (std::regex_search(line, tag, kSecondTag)) {
    inner = 0x1000u | std::stoul(tag[1]) | std::stoul(tag[2]) << 13;
    line = std::regex_replace(line, kSecondTag, "");
  }
  static const std::regex kOtherOption("(icmp_type=135.*),nd_tll=[0-9a-f:]+|(icmp_type=136.*),nd_sll=[0-9a-f:]+");
  line = std::regex_replace(line, kOtherOption, "$1$2");
  std::string flow = as_request(line);
  auto key = parsers::parse_flow_key(flow);
  if (key) key->set(FieldId::vlan_tci1, inner);
  EXPECT_TRUE(key) << flow << "\n" << (key ? "" : key.error().message);
  return {std::move(flow), key ? *key : FlowKey()};
}

}  // namespace

const std::vector<BenchPort>& execution_ports() {
  static const std::vector<BenchPort> ports = {{"br-int", "p1", 1},         {"br-int", "p2", 2},       {"br-int", "9eth", 3},
                                               {"br-int", "p-4.x", 4},      {"br-ex", "q1", 1},        {"br-ex", "q2", 2},
                                               {"br-ex", "q3", 3},          {"br-b", "r1", 1},         {"br-b", "r2", 2},
                                               {"br-int", "br-int", 65534}, {"br-ex", "br-ex", 65534}, {"br-b", "br-b", 65534}};
  return ports;
}

ExecutionBench::ExecutionBench() : daemon_(directory_.path()) {
  if (daemon_.good()) make_bridges();
}

void ExecutionBench::make_bridges() {
  std::vector<std::string> all = bridges();
  all.emplace_back(kBridgeThatDrops);
  for (const std::string& b : all)
    daemon_.vsctl({"add-br", b, "--", "set", "bridge", b, "datapath_type=dummy",
                   "protocols=OpenFlow10,OpenFlow11,OpenFlow12,OpenFlow13,OpenFlow14,OpenFlow15", "fail_mode=secure",
                   "other_config:disable-in-band=true"});
  for (const BenchPort& p : execution_ports()) {
    const std::string capture = "options:tx_pcap=" + capture_of(p.name);
    if (std::string(p.name) == p.bridge) {
      daemon_.vsctl({"set", "interface", p.name, capture});
    } else {
      daemon_.vsctl({"add-port", p.bridge, p.name, "--", "set", "interface", p.name, "type=dummy",
                     fmt::format("ofport_request={}", p.number), capture});
    }
  }
  struct Patch {
    const char* bridge;
    const char* name;
    unsigned number;
    const char* peer;
  };
  for (const Patch& p : {Patch{"br-int", "patch-int", 10, "patch-ex"}, Patch{"br-ex", "patch-ex", 10, "patch-int"},
                         Patch{"br-ex", "patch-exb", 11, "patch-b"}, Patch{"br-b", "patch-b", 10, "patch-exb"}})
    daemon_.vsctl({"add-port", p.bridge, p.name, "--", "set", "interface", p.name, fmt::format("ofport_request={}", p.number),
                   "type=patch", fmt::format("options:peer={}", p.peer)});
  daemon_.vsctl({"set", "port", "q3", "tag=5"});
  for (const std::string& b : bridges())
    daemon_.ofctl(kProtocol, {"add-meter", b, "meter=1 pktps bands=type=drop rate=4000000000"});
}

void ExecutionBench::load(Configuration& c) {
  if (settings_.wants_empty_bridges(c)) loader_.clear(bridges());
  if (settings_.apply(c, bridges()) || rows_.empty()) read_rows();
  loader_.fill(c, bridges());
  read_dumps();
  forget();
}

void ExecutionBench::reset(const Configuration& c) {
  const bool learns = std::any_of(c.flows.begin(), c.flows.end(),
                                  [](const GeneratedFlow& f) { return text_of(f).find("learn(") != std::string::npos; });
  Configuration again = c;
  if (learns) loader_.fill(again, bridges());
  forget();
}

void ExecutionBench::forget() {
  daemon_.describe("dpctl/flush-conntrack", {});
  daemon_.describe("fdb/flush", {});
  daemon_.appctl("revalidator/purge", {});
}

void ExecutionBench::read_dump(const std::string& command, const std::string& text) {
  texts_.push_back(std::make_unique<std::string>(text));
  parsers::Dump dump;
  dump.path = dump.command = command;
  dump.text = *texts_.back();
  dump.source = cluster_->sources->add(command, dump.text, nullptr);
  const parsers::Format* best = nullptr;
  int confidence = 0;
  for (const auto formats : {parsers::ovs_ofctl_formats(), parsers::ovsdb_formats()})
    for (const parsers::Format& f : formats)
      if (const int sure = f.recognise(dump).confidence; sure > confidence) best = &f, confidence = sure;
  parsers::Report report;
  if (best) best->load(dump, *cluster_, *cluster_->nodes.front(), report);
}

void ExecutionBench::read_rows() {
  rows_["ovs-vsctl show"] = daemon_.vsctl_output({"show"});
  for (const char* table : {"interface", "port", "bridge"})
    rows_[fmt::format("ovs-vsctl list {}", table)] = daemon_.vsctl_output({"list", table});
}

// The same settings are shown in the same words.
const std::string& ExecutionBench::shown_once(const std::string& command, const std::string& settings,
                                              const Daemon::Words& words) {
  const auto [shown, is_new] = shown_.try_emplace(command + " " + settings);
  if (is_new) shown->second = daemon_.ofctl_output("OpenFlow10", words);
  return shown->second;
}

void ExecutionBench::read_dumps() {
  cluster_ = std::make_unique<cluster::Cluster>();
  cluster_->ensure_node("node-1");
  texts_.clear();
  for (const auto& [command, text] : rows_) read_dump(command, text);
  for (const std::string& name : bridges()) {
    read_dump("ovs-ofctl dump-tlv-map " + name,
              shown_once("dump-tlv-map " + name, fmt::format("{}", settings_.tlv_map()), {"dump-tlv-map", name}));
    read_dump("ovs-ofctl show " + name, shown_once("show " + name, settings_.ports_of(name), {"show", name}));
    read_dump(fmt::format("ovs-ofctl -O {} dump-flows {}", kProtocol, name),
              daemon_.ofctl_output(kProtocol, {"dump-flows", name}));
    read_dump(fmt::format("ovs-ofctl -O {} dump-groups {}", kProtocol, name),
              daemon_.ofctl_output(kProtocol, {"dump-groups", name}));
  }
  cluster_->nodes.front()->place_interfaces();
  for (openflow::Bridge& b : cluster_->nodes.front()->bridges) {
    b.datapath_type = "netdev";  // as the dummy datapath is
    b.has_fdb = true;
  }
}

std::optional<std::string> ExecutionBench::compose(const std::string& flow) {
  if (const auto key = parsers::parse_flow_key(flow))
    if (auto frame = compose_frame(*key)) return frame;
  return composed_by_switch(flow);
}

// By a process of its own, which is what a run has most of.
std::optional<std::string> ExecutionBench::composed_by_switch(const std::string& flow) {
  const Ran ran = run({"ovs-ofctl", "compose-packet", flow});
  if (ran.status != 0) return std::nullopt;
  // "00000010  00 28 00 00 00 00 40 06-6a bd 01 02 03 04 05 06"
  std::string hex;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);)
    for (std::size_t i = line.find("  "); i != std::string::npos && i < line.size(); ++i)
      if (std::isxdigit(static_cast<unsigned char>(line[i]))) hex += line[i];
  return hex;
}

std::vector<ExecutionBench::Extracted> ExecutionBench::extract(const std::vector<std::string>& frames) {
  if (frames.empty()) return {};
  const std::string file = directory_.file("extract.pcap", pcap_of(frames));
  std::vector<Extracted> all;
  std::istringstream lines(run({"ovs-ofctl", "parse-pcap", file}).out);
  for (std::string line; std::getline(lines, line);) all.push_back(read_headers(std::move(line)));
  return all;
}

std::optional<ExecutionBench::Extracted> ExecutionBench::extract(const std::string& frame) {
  constexpr std::string_view kFlow = "Flow: ";
  const std::string shown = daemon_.appctl("ofproto/trace", {kBridgeThatDrops, "in_port=LOCAL", frame});
  if (!shown.starts_with(kFlow)) return std::nullopt;
  const std::string line = shown.substr(kFlow.size(), shown.find('\n') - kFlow.size());
  // The switch reads as many tags as it forwards by, ovs-ofctl one more.
  static const std::regex kMoreTags(R"(\bdl_type=0x(8100|88a8)\b)");
  if (!std::regex_search(line, kMoreTags)) return read_headers(line);
  const std::vector<Extracted> read = extract(std::vector{frame});
  return read.empty() ? std::nullopt : std::optional(read.front());
}

std::vector<std::string> ExecutionBench::new_frames(const std::string& port) {
  std::size_t& read = read_.try_emplace(port, kFileHeader).first->second;
  std::ifstream file(capture_of(port), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read));
  const std::string rest{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> frames;
  for (std::size_t at = 0; at + kRecordHeader <= rest.size();) {
    const std::size_t size = u32_at(rest, at + 8);
    if (at + kRecordHeader + size > rest.size()) break;
    const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(at + kRecordHeader);
    frames.push_back(hex_of(Bytes(begin, begin + static_cast<std::ptrdiff_t>(size))));
    at += kRecordHeader + size;
    read += kRecordHeader + size;
  }
  return frames;
}

std::vector<RawFrame> ExecutionBench::send(const std::string& port, const std::string& frame) {
  // The main loop executes what came in, all of it, before it goes on with requests beyond the tenth.
  constexpr int kRequestsOfARound = 10;
  // A datapath flow of an earlier packet may hold headers of that packet which its megaflow does not ask for (of labels, for one).
  daemon_.appctl("revalidator/purge", {});
  daemon_.appctl("netdev-dummy/receive", {port, frame});
  for (int i = 0; i < kRequestsOfARound; ++i) daemon_.describe("version", {});
  daemon_.appctl("version", {});
  std::vector<RawFrame> sent;
  for (const BenchPort& p : execution_ports())
    for (std::string& bytes : new_frames(p.name)) sent.push_back({p.name, std::move(bytes)});
  return sent;
}

std::vector<std::vector<SentFrame>> ExecutionBench::read(const std::vector<std::vector<RawFrame>>& packets) {
  std::vector<std::string> frames;
  for (const auto& sent : packets)
    for (const RawFrame& f : sent) frames.push_back(f.bytes);
  const std::vector<Extracted> read = extract(frames);
  std::vector<std::vector<SentFrame>> all(packets.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < packets.size(); ++i)
    for (const RawFrame& f : packets[i])
      all[i].push_back({f.port, at < read.size() ? read[at].key : FlowKey(), is_cut(bytes_of(f.bytes))}), ++at;
  return all;
}

}  // namespace egt::testing
