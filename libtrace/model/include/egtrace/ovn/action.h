// Actions of logical flows, one type a kind (Logical_Flow:actions in ovn-sb(5)): all of OVN 22.12 to 26.03.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/ovn/expression.h"

namespace egt::ovn {

enum class Pipeline : std::uint8_t { ingress, egress };

struct Action;
using ActionList = std::vector<Action>;

// Connection tracking zones of a router.
enum class CtZone : std::uint8_t { dnat, snat };

// Actions that are a word alone: output, ip.ttl--, ct_clear, …
struct PlainAction {
  enum class Kind : std::uint8_t {
    output,
    decrement_ttl,
    ct_clear,
    igmp,
    ct_snat_to_vip,
    dhcpv6_reply,
    bfd_message,
    mac_cache_use,
    flood_remote,
  };
  Kind kind = Kind::output;
};

struct NextTable {
  Pipeline pipeline = Pipeline::ingress;
  std::uint16_t table = 0;
  bool other_pipeline = false, skips = false;  // how it prints: not the table that follows
};

struct Load {
  FieldRef to;
  Constant value;
};
struct Move {
  FieldRef to, from;
};
struct Exchange {
  FieldRef a, b;
};
struct Push {
  FieldRef field;
};
struct Pop {
  FieldRef field;
};

struct CtNext {
  CtZone zone = CtZone::dnat;
  bool names_zone = false;  // newer releases print it
  std::uint16_t table = 0;
};

struct CtCommit {
  ActionList actions;
  // The older form ct_commit(ct_mark=1/1, ct_label=2).
  bool in_parentheses = false;
  std::uint32_t mark = 0, mark_mask = 0;
  U128 label = 0, label_mask = 0;
};

struct CtCommitToZone {
  CtZone zone = CtZone::dnat;
  bool nat = false;  // ct_commit_nat
  bool names_zone = true;
  std::uint16_t table = 0;
};

struct PortRange {
  std::uint16_t low = 0, high = 0;  // high is 0 for a single port
};

struct CtNat {
  bool destination = false;  // ct_dnat, else ct_snat
  bool in_czone = false;
  std::optional<IpAddr> address;  // absent: translates back
  std::optional<PortRange> ports;
  std::uint16_t table = 0;
};

struct LbBackend {
  std::string port_name;  // ct_lb_mark_local only
  IpAddr address;
  std::uint16_t port = 0;
};

struct CtLb {
  enum class Kind : std::uint8_t { label, mark, mark_local };
  enum class Flag : std::uint8_t { none, skip_snat, force_snat };
  Kind kind = Kind::mark;
  std::vector<LbBackend> backends;
  std::optional<std::string> hash_fields;
  Flag flag = Flag::none;
  std::uint16_t table = 0;
};

struct Select {
  struct Member {
    std::uint16_t id = 0, weight = 100;
  };
  FieldRef result;
  std::vector<Member> members;
  std::optional<std::string> hash_fields;
  std::uint16_t table = 0;
};

// Actions with a block of actions for a packet made from this one.
struct Nested {
  enum class Kind : std::uint8_t {
    clone,
    arp,
    icmp4,
    icmp4_error,
    icmp6,
    icmp6_error,
    tcp_reset,
    sctp_abort,
    reject,
    nd_na,
    nd_na_router,
    nd_ns,
  };
  Kind kind = Kind::clone;
  ActionList actions;
};

// get_arp(port, ip), get_nd
struct GetBinding {
  bool ipv6 = false;
  FieldRef port, ip;
};
struct PutBinding {
  bool ipv6 = false;
  FieldRef port, ip, mac;
};
// R = lookup_arp(port, ip, mac), lookup_arp_ip(port, ip), and the same for nd
struct LookupBinding {
  bool ipv6 = false;
  FieldRef result, port, ip;
  std::optional<FieldRef> mac;
};

// R = name()
struct ResultAction {
  enum class Kind : std::uint8_t {
    dns_lookup,
    chk_lb_hairpin,
    chk_lb_hairpin_reply,
    check_in_port_sec,
    check_out_port_sec,
    chk_ecmp_nh_mac,
    chk_ecmp_nh,
    chk_lb_aff,
    ct_nw_dst,
    ct_ip6_dst,
    ct_tp_dst,
    ct_proto,
    ct_state_save,
  };
  Kind kind = Kind::dns_lookup;
  FieldRef result;
};

struct NamedOption {
  std::string name;
  ConstantSet values;
};
struct PutOptions {
  enum class Kind : std::uint8_t { dhcpv4, dhcpv6, nd_ra };
  Kind kind = Kind::dhcpv4;
  FieldRef result;
  std::vector<NamedOption> options;
};
struct DhcpRelayCheck {
  bool response = false;
  FieldRef result;
  std::uint32_t relay = 0, server = 0;
};

struct SetQueue {
  std::uint32_t queue = 0;
};
struct SetMeter {
  std::uint64_t rate = 0, burst = 0;
};
struct Log {
  enum class Verdict : std::uint8_t { allow, drop, reject, pass };
  std::optional<std::string> name, meter;
  Verdict verdict = Verdict::allow;
  std::uint8_t severity = 3;  // alert, warning, notice, info, debug
};
struct CheckPacketLarger {
  FieldRef result;
  std::uint32_t length = 0;
};
struct TriggerEvent {
  std::string event;
  std::vector<NamedOption> options;
};
struct BindVport {
  std::string vport;
  FieldRef parent;
};
struct HandleServiceCheck {
  FieldRef port;
};
struct ForwardGroup {
  bool liveness = false;
  std::vector<std::string> ports;
};
struct PutFdb {
  FieldRef port, mac;
};
struct GetFdb {
  bool remote = false;
  FieldRef result, mac;
};
struct LookupFdb {
  FieldRef result, port, mac;
};
struct CommitEcmpNextHop {
  bool ipv6 = false;
  std::uint8_t protocol = 6;
};
struct CommitLbAffinity {
  IpAddr vip, backend;
  std::uint16_t vip_port = 0, backend_port = 0, timeout = 0;
  std::uint8_t protocol = 0;  // 0: none written
};
struct Sample {
  std::uint16_t probability = 0;
  std::uint32_t collector_set = 0, point = 0;
  std::uint8_t domain = 0;
  bool point_is_cookie = false;
  std::optional<FieldRef> point_field;
};
struct Mirror {
  std::string port;
};
struct CheckEvpnArp {
  FieldRef result, ip;
};

struct Action {
  std::variant<PlainAction, NextTable, Load, Move, Exchange, Push, Pop, CtNext, CtCommit, CtCommitToZone, CtNat, CtLb, Select,
               Nested, GetBinding, PutBinding, LookupBinding, ResultAction, PutOptions, DhcpRelayCheck, SetQueue, SetMeter, Log,
               CheckPacketLarger, TriggerEvent, BindVport, HandleServiceCheck, ForwardGroup, PutFdb, GetFdb, LookupFdb,
               CommitEcmpNextHop, CommitLbAffinity, Sample, Mirror, CheckEvpnArp>
      kind;
};

// Canonical text as OVN prints it, with the semicolon; "drop;" for an empty list.
std::string to_string(const Action& action);
std::string to_string(const ActionList& actions);

std::string_view log_verdict_name(Log::Verdict verdict);
std::string_view log_severity_name(std::uint8_t severity);

}  // namespace egt::ovn
