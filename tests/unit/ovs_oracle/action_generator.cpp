// One list of actions: every action of ovs-actions(7) with every form of its arguments.
#include "action_generator.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::testing {

using namespace kind;

std::vector<std::string> ActionWriter::list(unsigned length) {
  std::vector<std::string> all;
  for (unsigned i = 0; i < length; ++i)
    if (std::string one = action(); !one.empty()) all.push_back(std::move(one));
  return all;
}

std::vector<std::string> ActionWriter::about(const FieldSpec& f) {
  using W = ActionWriter;
  static constexpr Make kUses[] = {&W::set_field, &W::load, &W::move, &W::push, &W::pop, &W::output_field};
  static constexpr Make kAny[] = {&W::output,   &W::reserved, &W::truncated, &W::group,  &W::vlan_tag,   &W::mpls_label,
                                  &W::dec_ttl,  &W::timeout,  &W::multipath, &W::bundle, &W::note,       &W::length,
                                  &W::clone,    &W::learn,    &W::modify,    &W::queue,  &W::controller, &W::sample,
                                  &W::encap,    &W::remove,   &W::enqueue,   &W::nsh,    &W::connect,    &W::connect,
                                  &W::resubmit, &W::connect};
  likely_ = &f;
  std::vector<std::string> all;
  const auto add = [&](Make make) {
    if (std::string one = (this->*make)(); !one.empty()) all.push_back(std::move(one));
  };
  for (unsigned i = 0; i < 4; ++i) add(dice_.of(kUses));
  likely_ = nullptr;
  for (unsigned i = 0; i < 2; ++i) add(dice_.of(kAny));
  return all;
}

std::string ActionWriter::action() {
  using W = ActionWriter;
  static constexpr Make kOvn[] = {
      &W::resubmit, &W::resubmit, &W::resubmit, &W::resubmit, &W::set_field, &W::load,       &W::load,
      &W::move,     &W::connect,  &W::push,     &W::output,   &W::output,    &W::clear,      &W::clone,
      &W::pop,      &W::dec_ttl,  &W::group,    &W::learn,    &W::length,    &W::controller,
  };
  static constexpr Make kAll[] = {
      &W::resubmit,  &W::resubmit,  &W::resubmit, &W::resubmit,     &W::resubmit,   &W::set_field,  &W::set_field, &W::set_field,
      &W::set_field, &W::set_field, &W::load,     &W::load,         &W::load,       &W::move,       &W::move,      &W::move,
      &W::connect,   &W::connect,   &W::push,     &W::pop,          &W::output,     &W::output,     &W::reserved,  &W::reserved,
      &W::truncated, &W::group,     &W::vlan_tag, &W::vlan_tag,     &W::mpls_label, &W::mpls_label, &W::dec_ttl,   &W::timeout,
      &W::multipath, &W::bundle,    &W::note,     &W::exit,         &W::length,     &W::clone,      &W::learn,     &W::modify,
      &W::modify,    &W::clear,     &W::queue,    &W::controller,   &W::controller, &W::sample,     &W::encap,     &W::encap,
      &W::remove,    &W::enqueue,   &W::nsh,      &W::output_field,
  };
  return place_.like_ovn ? (this->*dice_.of(kOvn))() : (this->*dice_.of(kAll))();
}

bool ActionWriter::may_use(const FieldSpec& f) const {
  // Buckets have no match that could forbid it, but for what the check of the actions alone knows.
  return has_kinds(kinds_, f.needs) || (place_.in_group && !(f.needs & (mpls | kind::nsh | vlan | nd | icmp6 | tracked)));
}

bool ActionWriter::fits(const FieldSpec& f, bool writable, unsigned bits) const {
  if ((writable && !f.writable) || !in_actions(f) || !may_use(f) || f.bits < bits) return false;
  return !leads_back() || !writable || !std::string_view(f.name).starts_with("in_port");
}

const FieldSpec* ActionWriter::field_where(bool writable, unsigned bits) {
  if (likely_ != nullptr && !dice_.one_in(4) && fits(*likely_, writable, bits)) return likely_;
  const bool special = dice_.one_in(2);  // one that only packets of some kinds have: they are few among all
  for (int attempt = 0; attempt < 120; ++attempt) {
    const FieldSpec& f = dice_.of(field_specs(place_.tlv_map));
    if (!fits(f, writable, bits) || (special && attempt < 60 && f.needs == any)) continue;
    return &f;
  }
  return nullptr;
}

std::string ActionWriter::subfield(const FieldSpec& f, unsigned begin, unsigned bits) const {
  const std::string name = f.nxm;
  if (bits == f.bits) return name + "[]";
  if (bits == 1) return fmt::format("{}[{}]", name, begin);
  return fmt::format("{}[{}..{}]", name, begin, begin + bits - 1);
}

bool ActionWriter::shown_whole(const FieldSpec& f, unsigned bits) const {
  static const std::string_view kWords[] = {"eth_src",  "eth_dst", "ip_src",  "ip_dst",     "vlan_tci", "vlan_vid",
                                            "vlan_pcp", "tcp_src", "tcp_dst", "udp_src",    "udp_dst",  "nw_tos",
                                            "ip_dscp",  "nw_ecn",  "nw_ttl",  "in_port_oxm"};
  if (!dumped_in_old_words()) return true;
  if (f.bits % 8 != 0 && bits == f.bits) return false;  // the same load with and without a mask
  const std::string_view name = f.name;
  const bool word = std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
  const bool whole = bits == f.bits && (name.starts_with("eth_") || name == "ip_src" || name == "ip_dst");
  return bits <= 64 && (!word || whole);
}

bool ActionWriter::shows_mask_of(const FieldSpec& f) const {
  return f.form != Form::tunnel_flags || (dumped_as_loads() && !place_.in_group);
}

std::string ActionWriter::set_field() {
  const FieldSpec* f = field_where(true);
  if (f == nullptr || !shown_whole(*f, f->bits)) return "";
  const Masking masking = !f->maskable || !shows_mask_of(*f) || dice_.one_in(2) ? Masking::none
                          : dice_.one_in(4)                                     ? Masking::full
                                                                                : Masking::partial;
  Value v = random_value(dice_, *f, masking);
  if (masking == Masking::partial && (dumped_as_loads() || !shown_whole(*f, 1))) {
    const unsigned bits = dice_.between(1, std::min(f->bits, 64u)), begin = dice_.below(f->bits - bits + 1);
    if (!shown_whole(*f, bits)) return "";
    v.mask = ones(bits) << begin;
    v.value = random_value(dice_, *f, Masking::none).value & v.mask;
  }
  const bool is_vlan_id = f->name == std::string_view("vlan_vid");  // loads do not show that it sets a tag's presence
  if (is_vlan_id && masking != Masking::none && dumped_as_loads()) return "";
  if (is_vlan_id) v.value |= 0x1000, v.mask |= 0x1000;
  return fmt::format("set_field:{}->{}", text_of(*f, v, masking), f->name);
}

std::string ActionWriter::load() {
  const FieldSpec* f = field_where(true);
  if (f == nullptr || !shows_mask_of(*f)) return "";
  const unsigned most = dumped_as_loads() ? std::min(f->bits, 64u) : f->bits;
  const unsigned bits = dice_.one_in(3) ? most : dice_.between(1, most);
  const unsigned begin = dice_.below(f->bits - bits + 1);
  if (!shown_whole(*f, bits)) return "";
  const U128 value = random_value(dice_, *f, Masking::none).value >> begin & ones(std::min(bits, 64u));
  return fmt::format("load:{}->{}", hex(value, dice_.one_in(2)), subfield(*f, begin, bits));
}

std::string ActionWriter::move() {
  const FieldSpec* const subject = likely_;
  const bool into = dice_.one_in(2);
  likely_ = into ? nullptr : subject;
  const FieldSpec* from = field_where(false);
  likely_ = into ? subject : nullptr;
  unsigned bits = from == nullptr ? 0 : dice_.one_in(2) ? from->bits : dice_.between(1, from->bits);
  const FieldSpec* to = from == nullptr ? nullptr : field_where(true, dice_.one_in(2) ? bits : 1);
  likely_ = subject;
  if (to == nullptr || to == from) return "";
  bits = std::min(bits, to->bits);
  return fmt::format("move:{}->{}", subfield(*from, dice_.below(from->bits - bits + 1), bits),
                     subfield(*to, dice_.below(to->bits - bits + 1), bits));
}

std::string ActionWriter::stacked(bool writable) {
  const FieldSpec* f = field_where(writable);
  if (f == nullptr) return "";
  const unsigned bits = dice_.one_in(2) ? f->bits : dice_.between(1, f->bits);
  return subfield(*f, dice_.below(f->bits - bits + 1), bits);
}

std::string ActionWriter::push() {
  const std::string field = stacked(false);
  return field.empty() ? "" : "push:" + field;
}

std::string ActionWriter::pop() {
  const std::string field = stacked(true);
  return field.empty() ? "" : "pop:" + field;
}

std::string ActionWriter::remove() {
  std::vector<const FieldSpec*> options;
  for (const FieldSpec& f : field_specs(place_.tlv_map))
    if (is_tunnel_option(f)) options.push_back(&f);
  return options.empty() ? "" : fmt::format("delete_field:{}", dice_.of(options)->name);
}

std::string ActionWriter::modify() {
  static const char* const kAny[] = {"set_tunnel:9", "set_tunnel64:9", "set_tunnel:0x123456789", "set_tunnel:0"};
  static const char* const kEthernet[] = {"mod_dl_src:0a:00:00:00:00:07", "mod_dl_dst:0a:00:00:00:00:08"};
  static const char* const kIp[] = {"mod_nw_tos:32", "mod_nw_ecn:2", "mod_nw_ttl:9"};
  static const char* const kIp4[] = {"mod_nw_src:10.7.0.1", "mod_nw_dst:10.7.0.2"};
  if (dumped_in_old_words()) return dice_.of(kAny);
  if (kinds_ & (tcp | udp | sctp) && dice_.one_in(3)) return dice_.one_in(2) ? "mod_tp_src:7" : "mod_tp_dst:8";
  if (kinds_ & ip4 && dice_.one_in(3)) return dice_.of(kIp4);
  if (kinds_ & ip && dice_.one_in(2)) return dice_.of(kIp);
  if (kinds_ & ethernet && dice_.one_in(2)) return dice_.of(kEthernet);
  return dice_.of(kAny);
}

std::string ActionWriter::dec_ttl() {
  if (!(kinds_ & ip)) return "";
  return dice_.one_in(4) ? dice_.one_in(2) ? "dec_ttl(1,2)" : "dec_ttl(3)" : "dec_ttl";
}

std::string ActionWriter::queue() { return dice_.one_in(3) ? "pop_queue" : fmt::format("set_queue:{}", dice_.below(3)); }

std::string ActionWriter::timeout() {
  static const char* const kForms[] = {"fin_timeout(idle_timeout=10,hard_timeout=15)", "fin_timeout(idle_timeout=10)",
                                       "fin_timeout(hard_timeout=5)"};
  return kinds_ & tcp ? dice_.of(kForms) : "";
}

std::string ActionWriter::note() { return dice_.one_in(2) ? "note:01.02.03" : "note:00.11.22.33.44.55.66.77.88"; }

std::string ActionWriter::exit() { return dice_.one_in(3) ? "exit" : ""; }

std::vector<std::string> random_actions(Dice& dice, const ActionPlace& place, unsigned kinds) {
  return ActionWriter(dice, place, kinds).list(dice.between(0, 5));
}

std::vector<std::string> actions_about(Dice& dice, const ActionPlace& place, unsigned kinds, const FieldSpec& f) {
  return ActionWriter(dice, place, kinds).about(f);
}

}  // namespace egt::testing
