// Written out of ovn-nb.ovsschema, ovn-sb.ovsschema (20.03 to 26.03) and vswitch.ovsschema (2.5 to 3.7).
#include "ovsdb/schema.h"

#include <array>
#include <iterator>
#include <unordered_map>

#include "egtrace/base/text.h"

namespace egt::parsers::ovsdb {
namespace {

constexpr TableInfo kTables[] = {
    {Database::nb, "ACL",
     "action direction external_ids label log match meter name network_function_group options priority "
     "sample_est sample_new severity tier"},
    {Database::nb, "Address_Set", "addresses external_ids name options"},
    {Database::nb, "BFD", "detect_mult dst_ip external_ids logical_port min_rx min_tx options status"},
    {Database::nb, "Chassis_Template_Var", "chassis external_ids variables"},
    {Database::nb, "Connection", "external_ids inactivity_probe is_connected max_backoff other_config status target"},
    {Database::nb, "Copp", "external_ids meters name"},
    {Database::nb, "DHCP_Options", "cidr external_ids options"},
    {Database::nb, "DHCP_Relay", "external_ids name options servers"},
    {Database::nb, "DNS", "external_ids options records"},
    {Database::nb, "Forwarding_Group", "child_port external_ids liveness name vip vmac"},
    {Database::nb, "Gateway_Chassis", "chassis_name external_ids name options priority"},
    {Database::nb, "HA_Chassis", "chassis_name external_ids priority"},
    {Database::nb, "HA_Chassis_Group", "external_ids ha_chassis name"},
    {Database::nb, "Load_Balancer", "external_ids health_check ip_port_mappings name options protocol selection_fields vips"},
    {Database::nb, "Load_Balancer_Group", "load_balancer name"},
    {Database::nb, "Load_Balancer_Health_Check", "external_ids options vip"},
    {Database::nb, "Logical_Router",
     "copp enabled external_ids load_balancer load_balancer_group name nat options policies ports "
     "static_routes"},
    {Database::nb, "Logical_Router_Policy",
     "action bfd_sessions chain external_ids jump_chain match nexthop nexthops options output_port "
     "priority"},
    {Database::nb, "Logical_Router_Port",
     "dhcp_relay enabled external_ids gateway_chassis ha_chassis_group ipv6_prefix ipv6_ra_configs mac "
     "name networks options peer status"},
    {Database::nb, "Logical_Router_Static_Route",
     "bfd external_ids ip_prefix nexthop options output_port policy route_table selection_fields"},
    {Database::nb, "Logical_Switch",
     "acls copp dns_records external_ids forwarding_groups load_balancer load_balancer_group name "
     "other_config ports qos_rules"},
    {Database::nb, "Logical_Switch_Port",
     "addresses dhcpv4_options dhcpv6_options dynamic_addresses enabled external_ids ha_chassis_group "
     "health_checks mirror_rules name options parent_name peer port_security tag tag_request type up"},
    {Database::nb, "Logical_Switch_Port_Health_Check", "address options port protocol src_ip status"},
    {Database::nb, "Meter", "bands external_ids fair name unit"},
    {Database::nb, "Meter_Band", "action burst_size external_ids rate"},
    {Database::nb, "Mirror", "external_ids filter index mirror_rules name sink type"},
    {Database::nb, "Mirror_Rule", "action match priority"},
    {Database::nb, "NAT",
     "allowed_ext_ips exempted_ext_ips external_ids external_ip external_mac external_port_range "
     "gateway_port logical_ip logical_port match options priority type"},
    {Database::nb, "NB_Global",
     "connections external_ids hv_cfg hv_cfg_timestamp ipsec name nb_cfg nb_cfg_timestamp options sb_cfg "
     "sb_cfg_timestamp ssl"},
    {Database::nb, "Network_Function", "external_ids health_check id inport name outport"},
    {Database::nb, "Network_Function_Group", "external_ids fallback id mode name network_function network_function_active"},
    {Database::nb, "Network_Function_Health_Check", "external_ids name options"},
    {Database::nb, "Port_Group", "acls external_ids name ports"},
    {Database::nb, "QoS", "action bandwidth direction external_ids match priority"},
    {Database::nb, "SSL",
     "bootstrap_ca_cert ca_cert certificate external_ids private_key ssl_ciphers ssl_ciphersuites "
     "ssl_protocols"},
    {Database::nb, "Sample", "collectors metadata"},
    {Database::nb, "Sample_Collector", "external_ids id name probability set_id"},
    {Database::nb, "Sampling_App", "external_ids id type"},
    {Database::nb, "Static_MAC_Binding", "ip logical_port mac override_dynamic_mac"},
    {Database::ovs, "AutoAttach", "mappings system_description system_name"},
    {Database::ovs, "Bridge",
     "auto_attach controller datapath_id datapath_type datapath_version external_ids fail_mode flood_vlans "
     "flow_tables ipfix mcast_snooping_enable mirrors name netflow other_config ports protocols "
     "rstp_enable rstp_status sflow status stp_enable"},
    {Database::ovs, "CT_Timeout_Policy", "external_ids timeouts"},
    {Database::ovs, "CT_Zone", "external_ids limit timeout_policy"},
    {Database::ovs, "Controller",
     "connection_mode controller_burst_limit controller_queue_size controller_rate_limit "
     "enable_async_messages external_ids inactivity_probe is_connected local_gateway local_ip "
     "local_netmask max_backoff other_config role status target type"},
    {Database::ovs, "Datapath", "capabilities ct_zone_default_limit ct_zones datapath_version external_ids"},
    {Database::ovs, "Flow_Sample_Collector_Set", "bridge external_ids id ipfix local_group_id"},
    {Database::ovs, "Flow_Table", "external_ids flow_limit groups name overflow_policy prefixes"},
    {Database::ovs, "IPFIX",
     "cache_active_timeout cache_max_flows external_ids obs_domain_id obs_point_id other_config sampling "
     "stats_interval targets template_interval"},
    {Database::ovs, "Interface",
     "admin_state bfd bfd_status cfm_fault cfm_fault_status cfm_flap_count cfm_health cfm_mpid "
     "cfm_remote_mpids cfm_remote_opstate duplex error external_ids ifindex ingress_policing_burst "
     "ingress_policing_kpkts_burst ingress_policing_kpkts_rate ingress_policing_rate lacp_current "
     "link_resets link_speed link_state lldp mac mac_in_use mtu mtu_request name ofport ofport_request "
     "options other_config statistics status type"},
    {Database::ovs, "Manager",
     "connection_mode external_ids inactivity_probe is_connected max_backoff other_config status target"},
    {Database::ovs, "Mirror",
     "external_ids filter name output_port output_vlan select_all select_dst_port select_src_port "
     "select_vlan snaplen statistics"},
    {Database::ovs, "NetFlow", "active_timeout add_id_to_interface engine_id engine_type external_ids targets"},
    {Database::ovs, "Open_vSwitch",
     "bridges cur_cfg datapath_types datapaths db_version dpdk_initialized dpdk_version external_ids "
     "iface_types manager_options next_cfg other_config ovs_version ssl statistics system_type "
     "system_version"},
    {Database::ovs, "Port",
     "bond_active_slave bond_downdelay bond_fake_iface bond_mode bond_updelay cvlans external_ids "
     "fake_bridge interfaces lacp mac name other_config protected qos rstp_statistics rstp_status "
     "statistics status tag trunks vlan_mode"},
    {Database::ovs, "QoS", "external_ids other_config queues type"},
    {Database::ovs, "Queue", "dscp external_ids other_config"},
    {Database::ovs, "SSL", "bootstrap_ca_cert ca_cert certificate external_ids private_key"},
    {Database::ovs, "sFlow", "agent external_ids header polling sampling targets"},
    {Database::sb, "ACL_ID", "id"},
    {Database::sb, "Address_Set", "addresses name options"},
    {Database::sb, "Advertised_MAC_Binding", "datapath external_ids ip logical_port mac"},
    {Database::sb, "Advertised_Route", "datapath external_ids ip_prefix logical_port tracked_port"},
    {Database::sb, "BFD", "chassis_name detect_mult disc dst_ip external_ids logical_port min_rx min_tx options src_port status"},
    {Database::sb, "Chassis", "encaps external_ids hostname name nb_cfg other_config transport_zones vtep_logical_switches"},
    {Database::sb, "Chassis_Private", "chassis external_ids name nb_cfg nb_cfg_timestamp"},
    {Database::sb, "Chassis_Template_Var", "chassis variables"},
    {Database::sb, "Connection",
     "external_ids inactivity_probe is_connected max_backoff other_config read_only role status target"},
    {Database::sb, "Controller_Event", "chassis event_info event_type seq_num"},
    {Database::sb, "DHCP_Options", "code name type"},
    {Database::sb, "DHCPv6_Options", "code name type"},
    {Database::sb, "DNS", "datapaths external_ids options records"},
    {Database::sb, "Datapath_Binding", "external_ids load_balancers nb_uuid tunnel_key type"},
    {Database::sb, "ECMP_Nexthop", "datapath external_ids mac nexthop port"},
    {Database::sb, "Encap", "chassis_name ip options type"},
    {Database::sb, "FDB", "dp_key mac port_key timestamp"},
    {Database::sb, "Gateway_Chassis", "chassis external_ids name options priority"},
    {Database::sb, "HA_Chassis", "chassis external_ids priority"},
    {Database::sb, "HA_Chassis_Group", "external_ids ha_chassis name ref_chassis"},
    {Database::sb, "IGMP_Group", "address chassis chassis_name datapath ports protocol"},
    {Database::sb, "IP_Multicast",
     "datapath enabled eth_src idle_timeout ip4_src ip6_src querier query_interval query_max_resp seq_no "
     "table_size"},
    {Database::sb, "Learned_Route", "datapath external_ids ip_prefix logical_port nexthop"},
    {Database::sb, "Load_Balancer",
     "datapath_group datapaths external_ids lr_datapath_group ls_datapath_group name options protocol vips"},
    {Database::sb, "Logical_DP_Group", "datapaths"},
    {Database::sb, "Logical_Flow",
     "actions controller_meter external_ids flow_desc logical_datapath logical_dp_group match pipeline "
     "priority table_id tags"},
    {Database::sb, "MAC_Binding", "datapath ip logical_port mac timestamp"},
    {Database::sb, "Meter", "bands name unit"},
    {Database::sb, "Meter_Band", "action burst_size rate"},
    {Database::sb, "Mirror", "external_ids filter index name sink type"},
    {Database::sb, "Multicast_Group", "datapath name ports tunnel_key"},
    {Database::sb, "Port_Binding",
     "additional_chassis additional_encap chassis datapath encap external_ids gateway_chassis "
     "ha_chassis_group logical_port mac mirror_port mirror_rules nat_addresses options parent_port "
     "port_security requested_additional_chassis requested_chassis tag tunnel_key type up virtual_parent"},
    {Database::sb, "Port_Group", "name ports"},
    {Database::sb, "RBAC_Permission", "authorization insert_delete table update"},
    {Database::sb, "RBAC_Role", "name permissions"},
    {Database::sb, "SB_Global", "connections external_ids ipsec nb_cfg nb_cfg_timestamp options ssl"},
    {Database::sb, "SSL",
     "bootstrap_ca_cert ca_cert certificate external_ids private_key ssl_ciphers ssl_ciphersuites "
     "ssl_protocols"},
    {Database::sb, "Service_Monitor",
     "chassis_name external_ids ic_learned ip logical_input_port logical_port mac options port protocol "
     "remote src_ip src_mac status type"},
    {Database::sb, "Static_MAC_Binding", "datapath ip logical_port mac override_dynamic_mac"},
};

bool is_column(const TableInfo& table, std::string_view column) {
  std::string_view rest = table.columns;
  while (!rest.empty())
    if (take_until(rest, ' ') == column) return true;
  return false;
}

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

bool begins_with_folded(std::string_view name, std::string_view beginning) {
  if (beginning.size() > name.size()) return false;
  for (std::size_t i = 0; i < beginning.size(); ++i)
    if (folded(name[i]) != folded(beginning[i])) return false;
  return true;
}

// The tables that have a column, by their places in kTables.
using Tables = std::vector<std::uint16_t>;
const Tables& tables_with(std::string_view column) {
  static const std::unordered_map<std::string_view, Tables> all = [] {
    std::unordered_map<std::string_view, Tables> by_column;
    for (std::uint16_t i = 0; i < std::size(kTables); ++i)
      for (std::string_view rest = kTables[i].columns; !rest.empty();)
        by_column[take_until(rest, ' ')].push_back(i);  // sorted: each once
    return by_column;
  }();
  static const Tables none;
  const auto found = all.find(column);
  return found == all.end() ? none : found->second;
}

std::size_t column_count(const TableInfo& table) {
  std::size_t count = 1;
  for (const char c : table.columns) count += c == ' ';
  return count;
}

}  // namespace

std::string_view short_name(Database d) {
  switch (d) {
    case Database::nb: return "NB";
    case Database::ovs: return "OVS";
    case Database::sb: return "SB";
  }
  return {};
}

const TableInfo* find_table(Database d, std::string_view name) {
  const TableInfo* found = nullptr;
  unsigned candidates = 0;
  for (const TableInfo& t : kTables) {
    if (t.database != d || name.empty() || !begins_with_folded(t.name, name)) continue;
    if (t.name.size() == name.size()) return &t;
    found = &t;
    ++candidates;
  }
  return candidates == 1 ? found : nullptr;
}

unsigned fit(const TableInfo& table, const std::vector<std::string>& columns) {
  unsigned known = 0, all = 0;
  for (const std::string& c : columns) {
    if (c == "_uuid") continue;
    ++all;
    known += is_column(table, c);
  }
  return all == 0 ? 0 : known * 100 / all;
}

TableGuess guess_table(const std::vector<std::string>& columns, std::optional<Database> only) {
  std::array<unsigned, std::size(kTables)> known{};
  unsigned all = 0;
  for (const std::string& c : columns) {
    if (c == "_uuid") continue;
    ++all;
    for (const std::uint16_t table : tables_with(c)) ++known[table];
  }
  TableGuess best;
  std::size_t best_columns = 0;
  for (std::size_t i = 0; all > 0 && i < known.size(); ++i) {
    const TableInfo& t = kTables[i];
    const unsigned f = known[i] * 100 / all;
    if (f == 0 || f < best.fit || (only && t.database != *only)) continue;
    const std::size_t count = column_count(t);
    if (f > best.fit || count < best_columns) best = {&t, f}, best_columns = count;
  }
  return best;
}

}  // namespace egt::parsers::ovsdb
