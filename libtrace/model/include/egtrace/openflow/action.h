// OpenFlow actions and instructions of Open vSwitch as typed values (ovs-actions(7), lib/ofp-actions.c).
//
// The tree keeps what the text had (which of several spellings, which arguments were given, in which order), so that a
// dump prints back byte for byte; the engine looks only at the meaning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/packet/flow_key.h"

namespace egt::openflow {

// A port as dumps name it: a number, a reserved word (kept as its 16-bit number) or a name (dumps with --names).
struct Port {
  std::uint32_t number = 0;
  std::string name;  // not empty: only the name is known
  friend bool operator==(const Port&, const Port&) = default;
};
namespace port {
constexpr std::uint32_t max = 0xff00, unset = 0xfff7, in_port = 0xfff8, table = 0xfff9, normal = 0xfffa, flood = 0xfffb,
                        all = 0xfffc, controller = 0xfffd, local = 0xfffe, none = 0xffff;
}

struct Action;
using ActionList = std::vector<Action>;

struct Output {
  Port port;
};  // output:5, LOCAL, NORMAL, IN_PORT, FLOOD, ALL, CONTROLLER:n
struct OutputReg {
  Subfield source;
};  // output:NXM_NX_REG0[0..15]
struct OutputTruncated {
  Port port;
  std::uint32_t max_len = 0;
};
struct Enqueue {
  Port port;
  std::uint32_t queue = 0;
};
struct Controller {
  // `plain`: printed as CONTROLLER:max_len; otherwise controller(...) with only the arguments that were given.
  bool plain = false;
  std::optional<std::string> reason;
  std::optional<std::uint32_t> max_len, id, meter_id;
  std::optional<std::vector<std::uint8_t>> userdata;
  bool pause = false;
};
struct GroupRef {
  std::uint32_t id = 0;
};
struct Bundle {  // bundle(...) and, with `dest`, bundle_load(...)
  std::string fields, algorithm, member_type;
  std::uint16_t basis = 0;
  std::optional<Subfield> dest;
  std::vector<Port> members;
  bool slaves_spelling = false;  // "slaves:" before Open vSwitch 2.15
};
struct Load {
  U128 value = 0;
  Subfield dest;
};  // load:0x5->NXM_NX_REG0[0..7]
// set_field:VALUE[/MASK]->FIELD and the OpenFlow 1.0 words for the same (mod_dl_src:, mod_nw_ttl:, …).
struct SetField {
  FieldId field = FieldId::reg0;
  U128 value = 0;
  std::optional<U128> mask;
  std::string word;  // "set_field", "mod_dl_src", "mod_tp_dst", "set_tunnel", …
};
struct Move {
  Subfield source, dest;
};
struct Push {
  Subfield source;
};
struct Pop {
  Subfield dest;
};
struct DecTtl {
  std::vector<std::uint16_t> controllers;  // empty: plain dec_ttl
  bool parens = false;                     // "dec_ttl()": the form with a list, of which nothing came
};
struct PushVlan {
  std::uint16_t ethertype = 0;
};
struct PopVlan {
  bool strip_spelling = false;
};  // strip_vlan | pop_vlan
struct SetVlanVid {
  std::uint16_t vid = 0;
  std::string word;
};  // mod_vlan_vid (pushes) | set_vlan_vid
struct SetVlanPcp {
  std::uint8_t pcp = 0;
  std::string word;
};
struct PushMpls {
  std::uint16_t ethertype = 0;
};
struct PopMpls {
  std::uint16_t ethertype = 0;
};
struct SetMpls {
  std::string what;
  std::uint32_t value = 0;
};  // set_mpls_label | set_mpls_tc | set_mpls_ttl
struct DecMplsTtl {};
struct DecNshTtl {};
struct Encap {
  std::string argument;
};
struct Decap {
  std::string argument;
};
struct SetQueue {
  std::uint32_t queue = 0;
};
struct PopQueue {};
struct FinTimeout {
  std::optional<std::uint16_t> idle, hard;
};
struct Resubmit {  // resubmit(,8) resubmit(3,) resubmit:3 resubmit(,8,ct)
  std::optional<Port> in_port;
  std::optional<std::uint8_t> table;  // none: the current table
  bool with_ct = false;
  bool short_form = false;  // resubmit:PORT
  std::string table_name;   // dumps with table names
};
struct LearnSpec {
  enum class Kind : std::uint8_t { match, load, output };
  Kind kind = Kind::match;
  std::variant<U128, Subfield> source;  // immediate or field
  Subfield dest;                        // unused for output
  std::string port;                     // "in_port=p1": by name, `source` is not known
};
struct Learn {
  std::uint8_t table = 1;
  std::optional<std::uint16_t> idle_timeout, hard_timeout, fin_idle_timeout, fin_hard_timeout;
  std::uint16_t priority = 32768;
  bool send_flow_rem = false, delete_learned = false;
  std::optional<std::uint64_t> cookie;
  std::optional<std::uint32_t> limit;
  std::optional<Subfield> result_dst;
  std::vector<LearnSpec> specs;
};
struct Conjunction {
  std::uint32_t id = 0;
  std::uint8_t clause = 1, n_clauses = 2;
};  // clause counts from 1
struct Multipath {
  std::string text;
  Subfield dest;
};  // arguments as printed; the engine branches on the links
struct Note {
  std::vector<std::uint8_t> bytes;
};
struct Exit {};
struct Sample {
  std::string arguments;
};
struct Clone {
  ActionList actions;
};
struct Nat {
  enum class Kind : std::uint8_t { bare, src, dst };
  Kind kind = Kind::bare;
  std::optional<IpRange> addresses;  // first == last for one address
  bool address_is_range = false;
  std::optional<std::uint16_t> port_min, port_max;
  bool persistent = false, hash = false, random = false;
};
struct Ct {
  bool commit = false, force = false;
  std::optional<std::uint8_t> table;
  std::variant<std::monostate, std::uint16_t, Subfield> zone;  // none: zone 0
  std::optional<Nat> nat;
  std::optional<ActionList> exec;
  std::optional<std::string> alg;
};
struct CtClear {};
struct CheckPktLarger {
  std::uint16_t length = 0;
  Subfield dest;
};
struct DeleteField {
  FieldId field = FieldId::tun_metadata0;
};
struct Meter {
  std::uint32_t id = 0;
};
struct ClearActions {};
struct WriteActions {
  ActionList actions;
};
struct WriteMetadata {
  std::uint64_t value = 0;
  std::optional<std::uint64_t> mask;
};
struct GotoTable {
  std::uint8_t table = 0;
  std::string table_name;
};
struct Opaque {
  std::string text;
};  // not understood; ends the proof of whatever runs into it

struct Action {
  std::variant<Output, OutputReg, OutputTruncated, Enqueue, Controller, GroupRef, Bundle, Load, SetField, Move, Push, Pop, DecTtl,
               PushVlan, PopVlan, SetVlanVid, SetVlanPcp, PushMpls, PopMpls, SetMpls, DecMplsTtl, DecNshTtl, Encap, Decap,
               SetQueue, PopQueue, FinTimeout, Resubmit, Learn, Conjunction, Multipath, Note, Exit, Sample, Clone, Ct, CtClear,
               CheckPktLarger, DeleteField, Meter, ClearActions, WriteActions, WriteMetadata, GotoTable, Opaque>
      kind;
};

}  // namespace egt::openflow
