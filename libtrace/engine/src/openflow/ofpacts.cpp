#include "ofpacts.h"

#include <algorithm>
#include <vector>

#include "openflow/action_set.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// What dumps of OpenFlow 1.0 and 1.1 call a set_field: a controller of OpenFlow 1.5, as ovn-controller, has no such words.
bool is_old_word_for_set_field(std::string_view word) {
  constexpr std::string_view kWords[] = {"mod_dl_src", "mod_dl_dst", "mod_nw_src", "mod_nw_dst",
                                         "mod_nw_tos", "mod_nw_ecn", "set_tunnel", "set_tunnel64"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool is_option(F f) { return f >= F::tun_metadata0 && f <= F::tun_metadata7; }

// The mask that stands for the whole field: all bits of its bytes, which a mask of a field of 20 bits has not. Three bytes
// lie in four.
U128 written_whole(F f, const TlvMap& map) {
  const unsigned bytes = (field_bits(f, map) + 7) / 8;
  if (bytes > sizeof(U128)) return 0;  // of an option of unknown length: no mask
  return ones((bytes == 3 ? 4 : bytes) * 8);
}

// A tunnel option's part that is all of what the TLV map gives it is the whole field to the switch.
void widen(Subfield& s, const TlvMap& map) {
  if (is_option(s.field) && s.first == 0 && s.bits == field_bits(s.field, map)) s.bits = field(s.field).bits;
}

struct Widen {
  const TlvMap& map;
  void operator()(Move& a) const { widen(a.source, map), widen(a.dest, map); }
  void operator()(Push& a) const { widen(a.source, map); }
  void operator()(Pop& a) const { widen(a.dest, map); }
  void operator()(OutputReg& a) const { widen(a.source, map); }
  template <class Other>
  void operator()(Other&) const {}
};

// "set_field:p1->in_port" of a dump with names: a port of the bridge, which a parser of the dump does not know.
std::optional<SetField> write_of_named_port(std::string_view text, const Bridge& bridge) {
  constexpr std::string_view kBegin = "set_field:", kEnd = "->in_port";
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) return std::nullopt;
  std::string_view name = text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
  if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
  const Interface* i = bridge.by_name(name);
  if (i == nullptr || !i->ofport) return std::nullopt;
  return SetField{F::in_port, *i->ofport, std::nullopt, "set_field"};
}

// Where a list of actions stands: its bridge, and the map that gives tunnel options their length.
struct Holder {
  const Bridge& bridge;
  const TlvMap& map;
};

ActionList as_in_switch(const ActionList& list, const Holder& in);

Action as_in_switch(const Action& a, const Holder& in) {
  const Bridge& bridge = in.bridge;
  if (const auto* load = std::get_if<Load>(&a.kind)) {
    const U128 mask = ones(load->dest.bits) << load->dest.first;
    SetField set{load->dest.field, load->value << load->dest.first, mask, "set_field"};
    if (set.mask == written_whole(load->dest.field, in.map)) set.mask.reset();
    return {set};
  }
  if (const auto* set = std::get_if<SetField>(&a.kind); set && is_old_word_for_set_field(set->word)) {
    if (set->word != "mod_nw_tos") return {SetField{set->field, set->value, std::nullopt, "set_field"}};
    return {SetField{F::ip_dscp, set->value >> 2, std::nullopt, "set_field"}};
  }
  if (const auto* set = std::get_if<SetField>(&a.kind); set && set->word == "set_field" && set->mask) {
    SetField whole = *set;
    if (set->mask == written_whole(set->field, in.map)) whole.mask.reset();
    return {whole};
  }
  if (const auto* learn = std::get_if<Learn>(&a.kind)) {
    Learn numbered = *learn;
    for (LearnSpec& s : numbered.specs)
      if (const Interface* i = s.port.empty() ? nullptr : bridge.by_name(s.port); i != nullptr && i->ofport)
        s.source = U128{*i->ofport}, s.port.clear();
    return {std::move(numbered)};
  }
  if (const auto* unread = std::get_if<Opaque>(&a.kind))
    if (auto write = write_of_named_port(unread->text, bridge)) return {std::move(*write)};
  if (const auto* clone = std::get_if<Clone>(&a.kind)) return {Clone{as_in_switch(clone->actions, in)}};
  if (const auto* set = std::get_if<WriteActions>(&a.kind)) return {WriteActions{as_in_switch(set->actions, in)}};
  if (const auto* ct = std::get_if<Ct>(&a.kind); ct && ct->exec) {
    Ct copy = *ct;
    copy.exec = as_in_switch(*ct->exec, in);
    return {copy};
  }
  Action own = a;
  std::visit(Widen{in.map}, own.kind);
  return own;
}

ActionList as_in_switch(const ActionList& list, const Holder& in) {
  ActionList out;
  out.reserve(list.size());
  for (const Action& a : list) {
    Action next = as_in_switch(a, in);
    out.push_back(std::move(next));
  }
  return out;
}

struct Irreversible {
  bool operator()(const Ct&) const { return true; }
  bool operator()(const Meter&) const { return true; }
  bool operator()(const OutputTruncated&) const { return true; }
  bool operator()(const Encap&) const { return true; }
  bool operator()(const Decap&) const { return true; }
  bool operator()(const DecNshTtl&) const { return true; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

struct ChangesFields {
  bool operator()(const Load&) const { return true; }
  bool operator()(const SetField&) const { return true; }
  bool operator()(const Move&) const { return true; }
  bool operator()(const Push&) const { return true; }
  bool operator()(const Pop&) const { return true; }
  bool operator()(const DecTtl&) const { return true; }
  bool operator()(const Note&) const { return true; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

unsigned field_bits(F f, const TlvMap& map) {
  if (is_option(f))
    for (const TlvMapping& m : map)
      if (m.index == static_cast<unsigned>(f) - static_cast<unsigned>(F::tun_metadata0)) return m.length * 8u;
  constexpr unsigned kLongestOption = 124;
  return is_option(f) ? kLongestOption * 8 : field(f).bits;
}

bool only_changes_fields(const Action& action) { return std::visit(ChangesFields{}, action.kind); }

const Ofpacts& OfpactCache::plain(const ActionList& list) {
  const auto [at, is_new] = known_.try_emplace(&list);
  if (is_new) {
    at->second.reserve(list.size());
    for (const Action& a : list) at->second.push_back({&a, nullptr, 0, 0});
  }
  return at->second;
}

const Ofpacts& OfpactCache::of(const ActionList& list, const Bridge& bridge) { return in(list, bridge, bridge.tlv_map); }

const Ofpacts& OfpactCache::of_bucket(const ActionList& list, const Bridge& bridge) {
  static const TlvMap kNone;
  return in(list, bridge, kNone);
}

const Ofpacts& OfpactCache::in(const ActionList& list, const Bridge& bridge, const TlvMap& map) {
  const auto known = known_.find(&list);
  if (known != known_.end()) return known->second;
  const ActionList& own = lists_.emplace_back(as_in_switch(list, {bridge, map}));
  Ofpacts ofpacts;
  ofpacts.reserve(own.size());
  for (const Action& a : own) ofpacts.push_back({&a, nullptr, 0, 0});
  return known_.emplace(&list, std::move(ofpacts)).first->second;
}

const Ofpacts& OfpactCache::inside(const Ct& ct) {
  const auto [at, is_new] = known_.try_emplace(&ct);
  if (is_new) {
    if (ct.nat) at->second.push_back({nullptr, &*ct.nat, 0, 0});
    if (ct.exec)
      for (const Action& a : *ct.exec) at->second.push_back({&a, nullptr, 0, 0});
  }
  return at->second;
}

const Action& OfpactCache::instead_of(const Action& original, Action action) {
  return instead_.try_emplace(&original, std::move(action)).first->second;
}

Ofpacts in_action_set_order(const Ofpacts& set) {
  std::vector<const Action*> actions;
  for (const Ofpact& o : set) actions.push_back(o.action);
  Ofpacts list;
  for (const std::size_t i : engine::in_action_set_order(actions)) list.push_back(set[i]);
  return list;
}

bool reversible(const Ofpacts& list) {
  return std::none_of(list.begin(), list.end(), [](const Ofpact& o) {
    return o.nat != nullptr || (o.action && std::visit(Irreversible{}, o.action->kind));
  });
}

}  // namespace egt::engine::ofproto
