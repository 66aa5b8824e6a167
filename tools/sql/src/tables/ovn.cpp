// Logical flows and ports, rows of OVN's databases.
#include <unordered_map>

#include "catalogue.h"
#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "gaps.h"
#include "values.h"

namespace egt::sql {
namespace {

using cluster::Node;

struct LogicalFlowRow {
  const Node* node;
  const ovn::LogicalFlow* flow;
};

std::vector<Gap> gaps_of_table(const Context& context, const char* table, const char* command);

Definition<LogicalFlowRow> logical_flows() {
  using R = const LogicalFlowRow&;
  using C = const Context&;
  return {"logical_flows",
          "logical flows of each node's southbound database",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"datapath", "TEXT", "logical switch or router; of several the names, with commas",
            [](C, R r) { return joined(ovn::datapaths_of(r.node->ovn, *r.flow), [](std::string_view name) { return name; }); }},
           {"pipeline", "TEXT", "ingress, egress", [](C, R r) { return text(r.flow->ingress ? "ingress" : "egress"); }},
           {"table_id", "INTEGER", "logical table", [](C, R r) { return number(r.flow->table); }},
           {"stage", "TEXT", "ls_in_acl_eval, ...", [](C, R r) { return text(r.flow->stage); }},
           {"priority", "INTEGER", "priority", [](C, R r) { return number(r.flow->priority); }},
           {"match", "TEXT", "match", [](C, R r) { return text(r.flow->match); }},
           {"actions", "TEXT", "actions", [](C, R r) { return text(r.flow->actions); }},
           {"cookie", "TEXT", "of its OpenFlow flows, as 0x...",
            [](C, R r) { return r.flow->uuid_prefix ? hexadecimal(*r.flow->uuid_prefix) : Value(); }},
           {"uuid", "TEXT", "as dumped", [](C, R r) { return text(r.flow->uuid); }}},
          [](C context, std::vector<LogicalFlowRow>& out) {
            for (const auto& node : context.cluster().nodes)
              for (const ovn::LogicalFlow& flow : node->ovn.logical_flows) out.push_back({&*node, &flow});
          },
          [](C, R r) { return r.flow->from; },
          [](C context) {
            return gaps_of_nodes(context, "logical flows", "ovn-sbctl --uuid lflow-list", [](const Node& node) {
              return is_cluster_node(node) && !node.ovn.has_logical_flows ? Lack::all : Lack::nothing;
            });
          }};
}

struct LogicalPortRow {
  const Node* node;
  const ovn::LogicalPort* port;
};

Definition<LogicalPortRow> logical_ports() {
  using R = const LogicalPortRow&;
  using C = const Context&;
  return {"logical_ports",
          "logical ports of each node's databases",
          {{"node", "TEXT", "node whose database it is", [](C, R r) { return text(r.node->name); }},
           {"name", "TEXT", "name", [](C, R r) { return text(r.port->name); }},
           {"type", "TEXT", "router, localnet, patch, ...; NULL: of a pod or VM", [](C, R r) { return text(r.port->type); }},
           {"datapath", "TEXT", "switch or router", [](C, R r) { return text(r.port->datapath); }},
           {"on_router", "INTEGER", "1: of a router", [](C, R r) { return flag(r.port->on_router); }},
           {"tunnel_key", "INTEGER", "key", [](C, R r) { return number(r.port->tunnel_key); }},
           {"peer", "TEXT", "peer", [](C, R r) { return text(r.port->peer); }},
           {"mac", "TEXT", "MAC", [](C, R r) { return mac(r.port->mac); }},
           {"addresses", "TEXT", "with commas",
            [](C, R r) { return joined(r.port->addresses, [](const Prefix& p) { return p.to_short_string(); }); }},
           {"chassis", "TEXT", "name or UUID", [](C, R r) { return text(r.port->chassis); }}},
          [](C context, std::vector<LogicalPortRow>& out) {
            for (const auto& node : context.cluster().nodes)
              for (const ovn::LogicalPort& port : node->ovn.ports) out.push_back({&*node, &port});
          },
          [](C, R r) { return r.port->from; },
          [](C context) { return gaps_of_table(context, "SB Port_Binding", "ovn-sbctl list Port_Binding"); }};
}

// Whether the node's own tables are read, or those of a central database of which it is a chassis.
bool has_table(const Context& context, const Node& node, const std::string& table) {
  if (node.ovn.complete_tables.contains(table)) return true;
  for (const auto& other : context.cluster().nodes) {
    if (!other->ovn.complete_tables.contains(table)) continue;
    for (const ovn::Chassis& chassis : other->ovn.chassis)
      if (!chassis.is_remote && chassis.hostname == node.name) return true;
  }
  return false;
}

std::vector<Gap> gaps_of_table(const Context& context, const char* table, const char* command) {
  return gaps_of_nodes(context, std::string("all rows of ") + table, command, [&](const Node& node) {
    return is_cluster_node(node) && !has_table(context, node, table) ? Lack::all : Lack::nothing;
  });
}

struct DatabaseRow {
  const Node* node;
  const ovn::Row* row;
  std::string owner;
};

// UUIDs that a column of rows holds, and the name of the row.
void note_owners(const Node& node, std::string_view table, const char* column,
                 std::unordered_map<std::string, std::string>& owners) {
  constexpr std::size_t kUuid = 36;
  for (const ovn::Row& row : node.ovn.rows) {
    const auto held = row.table == table ? row.columns.find(column) : row.columns.end();
    if (held == row.columns.end()) continue;
    const std::string& list = held->second;
    for (std::size_t at = list.find_first_of("0123456789abcdef"); at != std::string::npos && at + kUuid <= list.size();
         at = list.find_first_of("0123456789abcdef", at + 1)) {
      if (!ovn::Uuid::parse(std::string_view(list).substr(at, kUuid))) continue;
      owners.try_emplace(list.substr(at, kUuid), ovn::text_of(row, "name"));
      at += kUuid - 1;
    }
  }
}

struct Owner {
  std::string_view table;
  const char* column;
};

void add_rows(const Context& context, std::string_view table, const std::vector<Owner>& of, std::vector<DatabaseRow>& out) {
  for (const auto& node : context.cluster().nodes) {
    std::unordered_map<std::string, std::string> owners;
    for (const Owner& owner : of) note_owners(*node, owner.table, owner.column, owners);
    for (const ovn::Row& row : node->ovn.rows) {
      if (!table.empty() && row.table != table) continue;
      const auto found = owners.find(row.uuid);
      out.push_back({&*node, &row, found != owners.end() ? found->second : ovn::text_of(row, "router")});
    }
  }
}

template <const char* column>
Value column_of(const Context&, const DatabaseRow& r) {
  return text(ovn::text_of(*r.row, column));
}
template <const char* column>
Value number_of(const Context&, const DatabaseRow& r) {
  return number(parse_u64(ovn::text_of(*r.row, column)));
}

constexpr char kType[] = "type", kExternalIp[] = "external_ip", kLogicalIp[] = "logical_ip", kLogicalPort[] = "logical_port",
               kExternalMac[] = "external_mac", kMatch[] = "match", kAction[] = "action", kPriority[] = "priority",
               kDirection[] = "direction", kTier[] = "tier", kName[] = "name", kNexthops[] = "nexthops", kNexthop[] = "nexthop",
               kPrefix[] = "ip_prefix", kOutput[] = "output_port", kPolicy[] = "policy", kRouteTable[] = "route_table",
               kGatewayPort[] = "gateway_port";

using DatabaseRef = const DatabaseRow&;
using C = const Context&;
const Column<DatabaseRow> kNodeColumn = {"node", "TEXT", "node whose database it is",
                                         [](C, DatabaseRef r) { return text(r.node->name); }};
const Column<DatabaseRow> kUuidColumn = {"uuid", "TEXT", "UUID", [](C, DatabaseRef r) { return text(r.row->uuid); }};
const Column<DatabaseRow> kIdsColumn = {"external_ids", "TEXT", "as JSON: external_ids->>'$.name'",
                                        [](C, DatabaseRef r) { return json_of(r.row->external_ids); }};
const Column<DatabaseRow> kRouterColumn = {"router", "TEXT", "logical router", [](C, DatabaseRef r) { return text(r.owner); }};

Provenance from_of(C, DatabaseRef r) { return r.row->from; }

Definition<DatabaseRow> acls() {
  return {"acls",
          "ACLs of the northbound database",
          {kNodeColumn,
           kUuidColumn,
           {"owner", "TEXT", "logical switch or port group", [](C, DatabaseRef r) { return text(r.owner); }},
           {"name", "TEXT", "name", column_of<kName>},
           {"direction", "TEXT", "from-lport, to-lport", column_of<kDirection>},
           {"tier", "INTEGER", "tier", number_of<kTier>},
           {"priority", "INTEGER", "priority", number_of<kPriority>},
           {"match", "TEXT", "match", column_of<kMatch>},
           {"action", "TEXT", "allow-related, drop, ...", column_of<kAction>},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows(context, "ACL", {{"Port_Group", "acls"}, {"Logical_Switch", "acls"}}, out);
          },
          from_of,
          [](C context) { return gaps_of_table(context, "NB ACL", "ovn-nbctl list ACL"); }};
}

Definition<DatabaseRow> nats() {
  return {"nats",
          "NAT rules of logical routers",
          {kNodeColumn,
           kUuidColumn,
           kRouterColumn,
           {"type", "TEXT", "snat, dnat, dnat_and_snat", column_of<kType>},
           {"external_ip", "TEXT", "address outside", column_of<kExternalIp>},
           {"logical_ip", "TEXT", "address or network inside", column_of<kLogicalIp>},
           {"logical_port", "TEXT", "logical port", column_of<kLogicalPort>},
           {"external_mac", "TEXT", "MAC", column_of<kExternalMac>},
           {"gateway_port", "TEXT", "gateway port", column_of<kGatewayPort>},
           {"match", "TEXT", "match", column_of<kMatch>},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows(context, "NAT", {{"Logical_Router", "nat"}}, out);
          },
          from_of,
          [](C context) { return gaps_of_table(context, "NB NAT", "ovn-nbctl list NAT"); }};
}

Definition<DatabaseRow> router_policies() {
  return {"router_policies",
          "policies of logical routers",
          {kNodeColumn,
           kUuidColumn,
           kRouterColumn,
           {"priority", "INTEGER", "priority", number_of<kPriority>},
           {"match", "TEXT", "match", column_of<kMatch>},
           {"action", "TEXT", "allow, drop, reroute", column_of<kAction>},
           {"nexthops", "TEXT", "next hops, as dumped",
            [](C c, DatabaseRef r) {
              const Value several = column_of<kNexthops>(c, r);
              return several == Value() || several == Value("[]") ? column_of<kNexthop>(c, r) : several;
            }},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows(context, "Logical_Router_Policy", {{"Logical_Router", "policies"}}, out);
          },
          from_of,
          [](C context) { return gaps_of_table(context, "NB Logical_Router_Policy", "ovn-nbctl list Logical_Router_Policy"); }};
}

Definition<DatabaseRow> router_routes() {
  return {"router_routes",
          "static routes of logical routers",
          {kNodeColumn,
           kUuidColumn,
           kRouterColumn,
           {"prefix", "TEXT", "network", column_of<kPrefix>},
           {"nexthop", "TEXT", "next hop", column_of<kNexthop>},
           {"output_port", "TEXT", "output port", column_of<kOutput>},
           {"policy", "TEXT", "src-ip, dst-ip", column_of<kPolicy>},
           {"route_table", "TEXT", "routing table", column_of<kRouteTable>},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows(context, "Logical_Router_Static_Route", {{"Logical_Router", "static_routes"}}, out);
          },
          from_of,
          [](C context) {
            return gaps_of_table(context, "NB Logical_Router_Static_Route", "ovn-nbctl list Logical_Router_Static_Route");
          }};
}

Definition<DatabaseRow> database_rows() {
  return {"database_rows",
          "rows of any table of OVN's databases",
          {kNodeColumn,
           {"database", "TEXT", "NB, SB", [](C, DatabaseRef r) { return text(r.row->database); }},
           {"table_name", "TEXT", "Load_Balancer, ...", [](C, DatabaseRef r) { return text(r.row->table); }},
           kUuidColumn,
           {"name", "TEXT", "name", column_of<kName>},
           {"columns", "TEXT", "as JSON, values as printed: columns->>'$.vips'",
            [](C, DatabaseRef r) { return json_of(r.row->columns); }},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) { add_rows(context, "", {}, out); },
          from_of};
}

}  // namespace

void add_ovn_tables(Tables& all) {
  all.push_back(make_table(logical_flows()));
  all.push_back(make_table(logical_ports()));
  all.push_back(make_table(acls()));
  all.push_back(make_table(nats()));
  all.push_back(make_table(router_policies()));
  all.push_back(make_table(router_routes()));
  all.push_back(make_table(database_rows()));
}

}  // namespace egt::sql
