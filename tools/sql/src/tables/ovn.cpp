// Logical flows and ports, rows of OVN's databases.
#include <unordered_map>

#include "catalogue.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/southbound.h"
#include "gaps.h"
#include "values.h"

namespace egt::sql {
namespace {

using cluster::Node;
namespace nb = rows::nb;

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

using Owners = std::unordered_map<std::string, std::string>;  // names by the UUID of what they have

template <class Owner>
void note_owners(const Node& node, std::vector<std::string> (Owner::*has)() const, Owners& owners) {
  for (const Owner owner : rows_of<Owner>(node.ovn.rows))
    for (const std::string& uuid : (owner.*has)()) owners.try_emplace(uuid, owner.name());
}

void add_row(const Node& node, const ovn::Row& row, const Owners& owners, std::vector<DatabaseRow>& out) {
  const auto found = owners.find(row.uuid);
  out.push_back({&node, &row, found != owners.end() ? found->second : ovn::text_of(row, "router")});
}

// `has`: the columns of other tables that name the rows.
template <class View, class... Owner>
void add_rows(const Context& context, std::vector<DatabaseRow>& out, std::vector<std::string> (Owner::*... has)() const) {
  for (const auto& node : context.cluster().nodes) {
    Owners owners;
    (note_owners(*node, has, owners), ...);
    for (const View row : rows_of<View>(node->ovn.rows)) add_row(*node, row.row(), owners, out);
  }
}

void add_all_rows(const Context& context, std::vector<DatabaseRow>& out) {
  for (const auto& node : context.cluster().nodes)
    for (const ovn::Row& row : node->ovn.rows) add_row(*node, row, {}, out);
}

Value as_value(const std::string& value) { return text(value); }
Value as_value(std::optional<std::int64_t> value) { return number(value); }

template <class View, class T>
Value read(const ovn::Row& row, T (View::*column)() const) {
  return as_value((View(row).*column)());
}

template <auto column>
Value column_of(const Context&, const DatabaseRow& r) {
  return read(*r.row, column);
}

// Older releases have one next hop in a column of its own.
Value next_hops_of(const Context&, const DatabaseRow& r) {
  const nb::LogicalRouterPolicy policy(*r.row);
  const std::string several = ovn::text_of(*r.row, "nexthops");
  return text(several.empty() ? policy.nexthop() : several);
}

using DatabaseRef = const DatabaseRow&;
using C = const Context&;
const Column<DatabaseRow> kNodeColumn = {"node", "TEXT", "node whose database it is",
                                         [](C, DatabaseRef r) { return text(r.node->name); }};
const Column<DatabaseRow> kUuidColumn = {"uuid", "TEXT", "UUID", [](C, DatabaseRef r) { return text(r.row->uuid); }};
const Column<DatabaseRow> kIdsColumn = {"external_ids", "TEXT", "as JSON: external_ids->>'$.name'",
                                        [](C, DatabaseRef r) { return json_of(ovn::external_ids_of(*r.row)); }};
const Column<DatabaseRow> kRouterColumn = {"router", "TEXT", "logical router", [](C, DatabaseRef r) { return text(r.owner); }};

Provenance from_of(C, DatabaseRef r) { return r.row->from; }

Definition<DatabaseRow> acls() {
  return {"acls",
          "ACLs of the northbound database",
          {kNodeColumn,
           kUuidColumn,
           {"owner", "TEXT", "logical switch or port group", [](C, DatabaseRef r) { return text(r.owner); }},
           {"name", "TEXT", "name", column_of<&nb::Acl::name>},
           {"direction", "TEXT", "from-lport, to-lport", column_of<&nb::Acl::direction>},
           {"tier", "INTEGER", "tier", column_of<&nb::Acl::tier>},
           {"priority", "INTEGER", "priority", column_of<&nb::Acl::priority>},
           {"match", "TEXT", "match", column_of<&nb::Acl::match>},
           {"action", "TEXT", "allow-related, drop, ...", column_of<&nb::Acl::action>},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows<nb::Acl>(context, out, &nb::PortGroup::acls, &nb::LogicalSwitch::acls);
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
           {"type", "TEXT", "snat, dnat, dnat_and_snat", column_of<&nb::Nat::type>},
           {"external_ip", "TEXT", "address outside", column_of<&nb::Nat::external_ip>},
           {"logical_ip", "TEXT", "address or network inside", column_of<&nb::Nat::logical_ip>},
           {"logical_port", "TEXT", "logical port", column_of<&nb::Nat::logical_port>},
           {"external_mac", "TEXT", "MAC", column_of<&nb::Nat::external_mac>},
           {"gateway_port", "TEXT", "gateway port", column_of<&nb::Nat::gateway_port>},
           {"match", "TEXT", "match", column_of<&nb::Nat::match>},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) { add_rows<nb::Nat>(context, out, &nb::LogicalRouter::nat); },
          from_of,
          [](C context) { return gaps_of_table(context, "NB NAT", "ovn-nbctl list NAT"); }};
}

Definition<DatabaseRow> router_policies() {
  return {"router_policies",
          "policies of logical routers",
          {kNodeColumn,
           kUuidColumn,
           kRouterColumn,
           {"priority", "INTEGER", "priority", column_of<&nb::LogicalRouterPolicy::priority>},
           {"match", "TEXT", "match", column_of<&nb::LogicalRouterPolicy::match>},
           {"action", "TEXT", "allow, drop, reroute", column_of<&nb::LogicalRouterPolicy::action>},
           {"nexthops", "TEXT", "next hops, as dumped", next_hops_of},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows<nb::LogicalRouterPolicy>(context, out, &nb::LogicalRouter::policies);
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
           {"prefix", "TEXT", "network", column_of<&nb::LogicalRouterStaticRoute::ip_prefix>},
           {"nexthop", "TEXT", "next hop", column_of<&nb::LogicalRouterStaticRoute::nexthop>},
           {"output_port", "TEXT", "output port", column_of<&nb::LogicalRouterStaticRoute::output_port>},
           {"policy", "TEXT", "src-ip, dst-ip", column_of<&nb::LogicalRouterStaticRoute::policy>},
           {"route_table", "TEXT", "routing table", column_of<&nb::LogicalRouterStaticRoute::route_table>},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) {
            add_rows<nb::LogicalRouterStaticRoute>(context, out, &nb::LogicalRouter::static_routes);
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
           {"name", "TEXT", "name", [](C, DatabaseRef r) { return text(ovn::text_of(*r.row, "name")); }},
           {"columns", "TEXT", "as JSON, values as printed: columns->>'$.vips'",
            [](C, DatabaseRef r) { return json_of(r.row->columns); }},
           kIdsColumn},
          [](C context, std::vector<DatabaseRow>& out) { add_all_rows(context, out); },
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
