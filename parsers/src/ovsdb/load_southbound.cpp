// Rows of the Southbound database as rows with types (egtrace/ovn/southbound.h).
#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_set>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovsdb {
namespace {

using ovn::Uuid;
namespace sb = ovn::sb;

Uuid uuid_of(const std::string& text) { return Uuid::parse(text).value_or(Uuid{}); }

std::uint32_t number_of(const Record& r, std::string_view column) {
  const auto n = parse_decimal(r.text(column));
  return n && *n <= 0xffffffffULL ? static_cast<std::uint32_t>(*n) : 0;
}

std::vector<std::string> texts_of(const Record& r, std::string_view column) {
  const Datum* value = r.find(column);
  return value ? value->texts() : std::vector<std::string>{};
}

std::vector<Uuid> uuids_of(const Record& r, std::string_view column) {
  std::vector<Uuid> all;
  for (const std::string& text : texts_of(r, column)) all.push_back(uuid_of(text));
  return all;
}

std::optional<Uuid> northbound_of(const Record& r, const sb::Map& ids) {
  if (const auto uuid = Uuid::parse(r.text("nb_uuid"))) return uuid;
  for (const char* key : {"logical-router", "logical-switch"})
    if (const auto it = ids.find(key); it != ids.end()) return Uuid::parse(it->second);
  return std::nullopt;
}

sb::DatapathBinding datapath_of(const Record& r, Provenance from) {
  sb::Map ids = r.map("external_ids");
  const bool is_router = ids.count("logical-router") > 0 || r.text("type") == "logical-router";
  const auto northbound = northbound_of(r, ids);
  return {uuid_of(r.uuid()), number_of(r, "tunnel_key"), false, northbound, is_router, std::move(ids), from};
}

sb::PortBinding port_binding_of(const Record& r, Provenance from) {
  sb::PortBinding port;
  port.uuid = uuid_of(r.uuid());
  port.datapath = uuid_of(r.text("datapath"));
  port.logical_port = r.text("logical_port");
  port.type = r.text("type");
  port.tunnel_key = number_of(r, "tunnel_key");
  port.tag = static_cast<std::uint16_t>(number_of(r, "tag"));
  port.mac = texts_of(r, "mac");
  port.port_security = texts_of(r, "port_security");
  port.options = r.map("options");
  port.external_ids = r.map("external_ids");
  port.from = from;
  return port;
}

// `texts` owns what the flow points to.
sb::LogicalFlow flow_of(const Record& r, Provenance from, std::deque<std::string>& texts) {
  const auto kept = [&texts](std::string text) { return std::string_view(texts.emplace_back(std::move(text))); };
  sb::LogicalFlow flow;
  flow.uuid = uuid_of(r.uuid());
  flow.datapath = uuid_of(r.text("logical_datapath"));
  flow.datapath_group = uuid_of(r.text("logical_dp_group"));
  flow.ingress = r.text("pipeline") != "egress";
  flow.table = static_cast<std::uint8_t>(number_of(r, "table_id"));
  flow.priority = static_cast<std::uint16_t>(number_of(r, "priority"));
  flow.match = kept(r.text("match"));
  flow.actions = kept(r.text("actions"));
  const sb::Map ids = r.map("external_ids");
  const auto id = [&](const char* key) {
    const auto it = ids.find(key);
    return it == ids.end() ? std::string_view() : kept(it->second);
  };
  flow.stage = id("stage-name");
  flow.source = id("source");
  flow.stage_hint = id("stage-hint");
  flow.from = from;
  return flow;
}

Provenance from_of(const TableRows& rows, const Record& r) { return {r.source != kNoSource ? r.source : rows.source, r.line}; }

struct KeyHash {
  std::size_t operator()(const Uuid& id) const { return static_cast<std::size_t>(id.high ^ id.low); }
  std::size_t operator()(const std::string& name) const { return std::hash<std::string>()(name); }
};

// Puts rows into a table, each once: what was there before stays.
template <class T, class Key>
class Adder {
 public:
  Adder(std::vector<T>& rows, Key key) : rows_(rows), key_(key) {
    for (const T& row : rows_) known_.insert(key_(row));
  }
  void add(T row) {
    if (known_.insert(key_(row)).second) rows_.push_back(std::move(row));
  }

 private:
  std::vector<T>& rows_;
  Key key_;
  std::unordered_set<std::decay_t<std::invoke_result_t<Key, const T&>>, KeyHash> known_;
};

template <class T, class Make>
void add_by_uuid(const TableRows& rows, std::vector<T>& to, Make make) {
  Adder adder(to, [](const T& row) { return row.uuid; });
  for (const Record& r : rows.records) adder.add(make(r, from_of(rows, r)));
}

template <class T, class Make>
void add_by_name(const TableRows& rows, std::vector<T>& to, Make make) {
  Adder adder(to, [](const T& row) { return row.name; });
  for (const Record& r : rows.records) adder.add(make(r, from_of(rows, r)));
}

void add_dhcp_options(const TableRows& rows, std::vector<sb::DhcpOption>& to) {
  add_by_name(rows, to, [](const Record& r, Provenance) {
    return sb::DhcpOption{r.text("name"), r.text("type"), static_cast<std::uint16_t>(number_of(r, "code"))};
  });
}

void add_bindings(const TableRows& rows, ovn::Southbound& sb) {
  const std::string& t = rows.table;
  if (t == "Datapath_Binding") add_by_uuid(rows, sb.datapaths, datapath_of);
  if (t == "Port_Binding") add_by_uuid(rows, sb.ports, port_binding_of);
  if (t == "Logical_DP_Group")
    add_by_uuid(rows, sb.datapath_groups, [](const Record& r, Provenance from) {
      return sb::DatapathGroup{uuid_of(r.uuid()), uuids_of(r, "datapaths"), from};
    });
  if (t == "Logical_Flow") {
    auto texts = std::make_shared<std::deque<std::string>>();
    add_by_uuid(rows, sb.logical_flows.edit(), [&](const Record& r, Provenance from) { return flow_of(r, from, *texts); });
    sb.kept_text.push_back(std::move(texts));
  }
  if (t == "Multicast_Group")
    add_by_uuid(rows, sb.multicast_groups, [](const Record& r, Provenance from) {
      return sb::MulticastGroup{uuid_of(r.uuid()),          uuid_of(r.text("datapath")), r.text("name"),
                                number_of(r, "tunnel_key"), uuids_of(r, "ports"),        from};
    });
}

void add_learned(const TableRows& rows, ovn::Southbound& sb) {
  if (rows.table == "MAC_Binding")
    add_by_uuid(rows, sb.mac_bindings, [](const Record& r, Provenance from) {
      return sb::MacBinding{
          uuid_of(r.uuid()), uuid_of(r.text("datapath")), r.text("logical_port"), r.text("ip"), r.text("mac"), from};
    });
  if (rows.table == "FDB")
    add_by_uuid(rows, sb.fdb, [](const Record& r, Provenance from) {
      return sb::Fdb{uuid_of(r.uuid()), r.text("mac"), number_of(r, "dp_key"), number_of(r, "port_key"), from};
    });
}

void add_sets(const TableRows& rows, ovn::Southbound& sb) {
  if (rows.table == "Address_Set")
    add_by_name(rows, sb.address_sets.edit(), [](const Record& r, Provenance from) {
      return sb::AddressSet{r.text("name"), texts_of(r, "addresses"), from};
    });
  if (rows.table == "Port_Group")
    add_by_name(rows, sb.port_groups, [](const Record& r, Provenance from) {
      return sb::PortGroup{r.text("name"), texts_of(r, "ports"), from};
    });
  if (rows.table == "Load_Balancer")
    add_by_uuid(rows, sb.load_balancers.edit(), [](const Record& r, Provenance from) {
      return sb::LoadBalancer{uuid_of(r.uuid()), r.text("name"), r.text("protocol"), r.map("vips"), r.map("options"), from};
    });
  if (rows.table == "DHCP_Options") add_dhcp_options(rows, sb.dhcp_options);
  if (rows.table == "DHCPv6_Options") add_dhcp_options(rows, sb.dhcpv6_options);
}

struct TypedTable {
  std::string_view name;
  std::vector<std::string_view> columns;
};

const TypedTable kTypedTables[] = {
    {"Datapath_Binding", {"tunnel_key", "nb_uuid", "type", "external_ids"}},
    {"Port_Binding",
     {"datapath", "logical_port", "type", "tunnel_key", "tag", "mac", "port_security", "options", "external_ids"}},
    {"Logical_DP_Group", {"datapaths"}},
    {"Logical_Flow",
     {"logical_datapath", "logical_dp_group", "pipeline", "table_id", "priority", "match", "actions", "external_ids"}},
    {"Multicast_Group", {"datapath", "name", "tunnel_key", "ports"}},
    {"MAC_Binding", {"datapath", "logical_port", "ip", "mac"}},
    {"FDB", {"mac", "dp_key", "port_key"}},
    {"Address_Set", {"name", "addresses"}},
    {"Port_Group", {"name", "ports"}},
    {"Load_Balancer", {"name", "options", "protocol", "vips"}},
    {"DHCP_Options", {"name", "type", "code"}},
    {"DHCPv6_Options", {"name", "type", "code"}},
    {"SB_Global", {"options"}},
};

}  // namespace

std::vector<std::string_view> typed_columns(std::string_view southbound_table) {
  for (const TypedTable& t : kTypedTables)
    if (t.name == southbound_table) return t.columns;
  return {};
}

void load_southbound_rows(const TableRows& rows, ovn::Ovn& ovn) {
  if (!ovn.southbound) ovn.southbound = std::make_shared<ovn::Southbound>();
  ovn::Southbound& sb = *ovn.southbound;
  add_bindings(rows, sb);
  add_learned(rows, sb);
  add_sets(rows, sb);
  if (rows.table == "SB_Global")
    for (const Record& r : rows.records) {
      const sb::Map options = r.map("options");
      if (const auto it = options.find("northd_internal_version"); it != options.end()) sb.northd_version = it->second;
    }
  if (rows.complete) sb.complete.emplace(rows.table, Provenance{rows.source, rows.first_line});
}

}  // namespace egt::parsers::ovsdb
