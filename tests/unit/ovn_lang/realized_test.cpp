// Traces of ovn-trace's own suite on the databases that they ran on, read in place; skipped where they are not there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "egtrace/base/text.h"
#include "egtrace/parsers/ovn_reader.h"
#include "egtrace/render/logical_trace.h"
#include "ovn/lflow_line.h"

namespace egt {
namespace {

namespace fs = std::filesystem;
namespace lang = parsers::ovn_lang;
namespace lt = engine::logical;
using Json = nlohmann::json;
using ovn::Uuid;

const fs::path kVectors = fs::path(EGTRACE_SOURCE_DIR) / ".." / "shared" / "conformance" / "ovn-trace-realized.json";

// A table as `ovsdb-client dump -f json` and `list -f json` print it.
class Rows {
 public:
  explicit Rows(const Json& table) : table_(table) {}
  std::size_t size() const { return table_.is_null() ? 0 : table_["data"].size(); }
  const Json& at(std::size_t row, const std::string& column) const {
    static const Json kNull;
    const Json& headings = table_["headings"];
    for (std::size_t i = 0; i < headings.size(); ++i)
      if (headings[i] == column) return table_["data"][row][i];
    return kNull;
  }

 private:
  const Json& table_;
};

std::vector<Json> elements(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_array() && value.size() == 2 && value[0] == "set") return value[1].get<std::vector<Json>>();
  return {value};
}

Uuid uuid_of(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0] == "uuid" ? Uuid::parse(value[1].get<std::string>()).value_or(Uuid{})
                                                                     : Uuid{};
}

ovn::sb::Map map_of(const Json& value) {
  ovn::sb::Map map;
  if (value.is_array() && value.size() == 2 && value[0] == "map")
    for (const Json& pair : value[1]) map.emplace(pair[0], pair[1]);
  return map;
}

std::vector<std::string> texts_of(const Json& value) {
  std::vector<std::string> texts;
  for (const Json& e : elements(value)) texts.push_back(e);
  return texts;
}

void add_ports(const Rows& rows, ovn::Southbound& sb) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ovn::sb::PortBinding p;
    p.uuid = uuid_of(rows.at(i, "_uuid"));
    p.datapath = uuid_of(rows.at(i, "datapath"));
    p.logical_port = rows.at(i, "logical_port");
    p.type = rows.at(i, "type");
    p.tunnel_key = rows.at(i, "tunnel_key");
    p.port_security = texts_of(rows.at(i, "port_security"));
    p.options = map_of(rows.at(i, "options"));
    p.external_ids = map_of(rows.at(i, "external_ids"));
    sb.ports.push_back(std::move(p));
  }
}

void add_datapaths(const Rows& rows, ovn::Southbound& sb) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ovn::sb::DatapathBinding d;
    d.uuid = uuid_of(rows.at(i, "_uuid"));
    d.tunnel_key = rows.at(i, "tunnel_key");
    d.external_ids = map_of(rows.at(i, "external_ids"));
    for (const char* key : {"logical-switch", "logical-router"})
      if (d.external_ids.contains(key)) d.northbound = Uuid::parse(d.external_ids[key]);
    sb.datapaths.push_back(std::move(d));
  }
}

void add_the_rest(const Json& tables, ovn::Southbound& sb) {
  const auto rows = [&](const char* name) {
    static const Json kNull;
    return Rows(tables.contains(name) ? tables[name] : kNull);
  };
  const Rows groups = rows("Multicast_Group");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    ovn::sb::MulticastGroup g{uuid_of(groups.at(i, "_uuid")),
                              uuid_of(groups.at(i, "datapath")),
                              groups.at(i, "name"),
                              groups.at(i, "tunnel_key"),
                              {},
                              {}};
    for (const Json& port : elements(groups.at(i, "ports"))) g.ports.push_back(uuid_of(port));
    sb.multicast_groups.push_back(std::move(g));
  }
  const Rows sets = rows("Address_Set");
  for (std::size_t i = 0; i < sets.size(); ++i)
    sb.address_sets.edit().push_back({sets.at(i, "name"), texts_of(sets.at(i, "addresses")), {}});
  const Rows port_groups = rows("Port_Group");
  for (std::size_t i = 0; i < port_groups.size(); ++i)
    sb.port_groups.push_back({port_groups.at(i, "name"), texts_of(port_groups.at(i, "ports")), {}});
  const Rows bindings = rows("MAC_Binding");
  for (std::size_t i = 0; i < bindings.size(); ++i)
    sb.mac_bindings.push_back({uuid_of(bindings.at(i, "_uuid")),
                               uuid_of(bindings.at(i, "datapath")),
                               bindings.at(i, "logical_port"),
                               bindings.at(i, "ip"),
                               bindings.at(i, "mac"),
                               {}});
  const Rows balancers = rows("Load_Balancer");
  for (std::size_t i = 0; i < balancers.size(); ++i)
    sb.load_balancers.edit().push_back(
        {uuid_of(balancers.at(i, "_uuid")), balancers.at(i, "name"), {}, map_of(balancers.at(i, "vips")), {}, {}});
}

// `keep` owns the text into which flows point.
ovn::Ovn deployment(const Json& json, std::string& keep) {
  ovn::Ovn ovn;
  ovn.southbound = std::make_shared<ovn::Southbound>();
  const Json& tables = json["southbound"];
  add_datapaths(Rows(tables["Datapath_Binding"]), *ovn.southbound);
  add_ports(Rows(tables["Port_Binding"]), *ovn.southbound);
  add_the_rest(tables, *ovn.southbound);
  keep = json["lflow_list"];
  std::string_view rest = keep;
  parsers::ovn_text::DatapathLine current;
  while (!rest.empty()) {
    const auto line = parsers::ovn_text::parse_lflow_line(next_line(rest));
    using Kind = parsers::ovn_text::LflowLine::Kind;
    if (line.kind == Kind::datapath) current = line.datapath;
    if (line.kind != Kind::flow || !line.flow.table) continue;
    ovn::LogicalFlow flow;
    flow.datapath = current.uuid;
    flow.ingress = current.ingress;
    flow.table = *line.flow.table;
    flow.stage = line.flow.stage;
    flow.priority = line.flow.priority;
    flow.match = line.flow.match;
    flow.actions = line.flow.actions;
    if (const auto prefix = parse_hex(line.flow.uuid.substr(0, 8))) flow.uuid_prefix = static_cast<std::uint32_t>(*prefix);
    ovn.logical_flows.edit().push_back(flow);
  }
  return ovn;
}

// The list of flows does not hold where in northd's source a flow was made, and a run of northd gives other UUIDs.
std::string without_sources(std::string text) {
  for (std::size_t at; (at = text.find(", uuid ")) != std::string::npos;) text.erase(at, text.find('\n', at) - at);
  std::string out;
  std::size_t at = 0;
  for (std::size_t open; (open = text.find(" (northd.c:", at)) != std::string::npos;) {
    out += text.substr(at, open - at);
    at = text.find(')', open) + 1;
  }
  return out + text.substr(at);
}

std::string trimmed(const std::string& text) { return std::string(trim(text)); }

lt::Options options_of(const Json& given) {
  lt::Options options;
  options.keeps_original_tuple = false;
  for (const std::string o : given["options"]) {
    if (o.starts_with("--ct=")) {
      std::uint32_t state = ct_state::trk;
      static constexpr std::pair<std::string_view, std::uint32_t> kNames[] = {
          {"new", 1}, {"est", 2}, {"rel", 4}, {"rpl", 8}, {"inv", 16}, {"trk", 32}, {"snat", 64}, {"dnat", 128}};
      for (const auto word : split(std::string_view(o).substr(5), ','))
        for (const auto& [name, bit] : kNames) state |= word == name ? bit : 0;
      options.ct_states.push_back(state);
    } else if (o.starts_with("--lb-dst=")) {
      const std::string_view text = std::string_view(o).substr(9);
      const std::size_t colon = text.rfind(':');
      std::string_view host = text.substr(0, colon);
      if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
      if (const auto ip = IpAddr::parse(host))
        options.backend = {*ip, static_cast<std::uint16_t>(parse_decimal(text.substr(colon + 1)).value_or(0))};
    } else if (o.starts_with("--select-id=")) {
      options.select_id = static_cast<std::uint16_t>(parse_decimal(std::string_view(o).substr(12)).value_or(0));
    }
  }
  return options;
}

struct Loaded {
  std::string keep;
  ovn::Ovn ovn;
  std::shared_ptr<const ovn::Southbound> southbound;
  std::unique_ptr<lang::DatabaseReader> reader;
  std::unique_ptr<engine::LogicalNetwork> network;
};

std::unique_ptr<Loaded> load(const Json& json) {
  auto loaded = std::make_unique<Loaded>();
  loaded->ovn = deployment(json, loaded->keep);
  std::vector<std::string> lacks;
  loaded->southbound = lang::complete_southbound(loaded->ovn, lacks);
  loaded->reader = std::make_unique<lang::DatabaseReader>(*loaded->southbound);
  loaded->network = std::make_unique<engine::LogicalNetwork>(*loaded->southbound, *loaded->reader);
  return loaded;
}

TEST(OvnTrace, PrintsWhatOvnTracePrints) {
  std::ifstream file(kVectors);
  if (!file) GTEST_SKIP() << "no vectors";
  const Json all = Json::parse(file);
  std::map<std::string, std::unique_ptr<Loaded>> deployments;
  for (const Json& v : all["vectors"]) {
    const std::string name = v["deployment"];
    auto& at = deployments[name];
    if (!at) at = load(all["deployments"][name]);
    const Json& given = v["given"];
    const std::string microflow = given["microflow"];
    const engine::LogicalDatapath* datapath = nullptr;
    if (given["datapath"].is_null()) {
      const auto inport = at->reader->inport_of(microflow);
      const auto* port = inport ? at->network->ports().find(*inport) : nullptr;
      datapath = port ? port->datapath : nullptr;
    } else {
      datapath = at->network->datapaths().find(given["datapath"].get<std::string>()).datapath;
    }
    if (datapath == nullptr) {
      EXPECT_NE(v["reference"]["detailed"].get<std::string>().find("unknown"), std::string::npos) << v["id"];
      continue;
    }
    const auto packet =
        at->reader->read_microflow(microflow, [&](std::string_view port) { return at->network->port_key(*datapath, port); });
    ASSERT_TRUE(packet) << microflow << ": " << packet.error().message;
    const lt::Trace trace = lt::trace(*at->network, *datapath, *packet, options_of(given));
    if (trace.supposed.backends + trace.supposed.members > 0) continue;  // ovn-trace threw a die
    for (const std::string form : {"detailed", "summary", "minimal"}) {
      render::LogicalTraceOptions o;
      o.detailed = form == "detailed";
      o.summary = form == "summary";
      o.minimal = form == "minimal";
      EXPECT_EQ(trimmed(without_sources(render::logical_trace_text(trace, *at->network, *packet, o))),
                trimmed(without_sources(v["reference"][form])))
          << v["id"] << " " << microflow;
    }
  }
}

}  // namespace
}  // namespace egt
