#include "source_validation.h"

#include <algorithm>
#include <utility>

#include "rule_selectors.h"
#include "sysctl_view.h"

namespace egt::engine {
namespace {

using host::Host;
using Kind = RouteAnswer::Kind;

constexpr int kStrict = 1, kLoose = 2;

// The settings that decide, as numbers; unknown ones are tried with each value.
struct Settings {
  int rp_filter = 0, accept_local = 0, src_valid_mark = 0, send_redirects = 1;
};

struct DumpedSettings {
  Setting rp_filter, accept_local, src_valid_mark, send_redirects;
};

bool turns_back(const ValidationQuery& q) { return q.packet.in_device == q.out_device; }

// Of a packet without a mark, and of one that does not turn back, a setting changes nothing, and is not looked for.
DumpedSettings read_settings(const Host& host, const ValidationQuery& q) {
  const std::string& device = q.packet.in_device;
  DumpedSettings k{
      larger_setting(host, device, "rp_filter", kLoose), either_setting(host, device, "accept_local"), {0, {}, {}}, {1, {}, {}}};
  if (q.packet.mark != 0) k.src_valid_mark = either_setting(host, device, "src_valid_mark");
  if (turns_back(q)) k.send_redirects = either_setting(host, device, "send_redirects");
  return k;
}

bool has_v4_address(const Host& host, std::string_view device) {
  if (!host.links.present) return true;
  const host::Link* link = host.link(device);
  return link == nullptr ||
         std::any_of(link->addresses.begin(), link->addresses.end(), [](const auto& a) { return a.prefix.address.is_v4(); });
}

// Anything besides the three default rules, one of them deleted, and a local route that is not the kernel's own, makes it look the source up even
// without rp_filter (fib4_has_custom_rules(), fib_has_custom_local_routes).
bool has_custom_rules(const Host& host) {
  constexpr std::size_t kDefaultRules = 3;
  const auto& rules = host.rules_v4;
  const bool one_deleted = rules.present && !rules.partial && rules.value.size() < kDefaultRules;
  return one_deleted ||
         std::any_of(rules.value.begin(), rules.value.end(), [](const host::PolicyRule& r) { return !is_default_rule(r); });
}
bool has_custom_local_routes(const Host& host) {
  const auto& routes = host.routes_v4.value;
  return std::any_of(routes.begin(), routes.end(),
                     [](const host::Route& r) { return r.type == host::RouteType::local && r.protocol != "kernel"; });
}

// The table of the VRF that the packet came by counts, wherever it goes.
RouteQuery reverse_of(const Host& host, const ValidationQuery& q, bool with_mark) {
  RouteQuery r = q.packet;
  std::swap(r.sport, r.dport);
  r.to = *q.packet.from;
  r.from = q.packet.to;
  r.in_device = q.out_device.empty() ? "lo" : q.out_device;
  r.out_device = is_vrf(host, q.packet.in_device) ? q.packet.in_device : std::string();
  if (!with_mark) r.mark = 0;
  return r;
}

// By the device or, where that is a VRF, by one of its devices (fib_info_nh_uses_dev()).
bool comes_by(const Host& host, const RouteAnswer& answer, const std::string& device) {
  const auto is_it = [&](const std::string& hop) {
    const host::Link* vrf = is_vrf(host, device) ? vrf_of(host, hop) : nullptr;
    return hop == device || (vrf != nullptr && vrf->name == device);
  };
  return std::any_of(answer.hops.begin(), answer.hops.end(), [&](const RouteHop& h) { return is_it(h.get().device); }) ||
         (answer.kind != Kind::unicast && answer.device == device);
}

// From `source` on `device`, which the reverse route does not have.
Cause by_other_device(const IpAddr& source, const std::string& device, const RouteAnswer& answer) {
  Cause cause{Reason::reverse_path_other_device, {source, device}};
  for (const RouteHop& h : answer.hops) cause.about.emplace_back(h.get().device.str());
  return cause;
}

Validation refuse(Validation v, Cause why, bool martian) {
  v.accepted = false;
  v.martian = martian;
  v.why = std::move(why);
  return v;
}

Validation full_check(const Host& host, const ValidationQuery& q, const Settings& s) {
  const IpAddr source = *q.packet.from;
  Validation v;
  v.looked_up = true;
  v.reverse = find_route(host, reverse_of(host, q, s.src_valid_mark != 0));
  v.evidence = v.reverse.evidence();
  v.assumptions = v.reverse.assumptions;
  if (v.reverse.kind == Kind::unknown) return v;  // its assumptions show what is missing
  const bool found = v.reverse.kind == Kind::unicast || v.reverse.is_for_me();
  if (found && v.reverse.kind != Kind::unicast && (v.reverse.kind != Kind::local || s.accept_local == 0))
    return refuse(std::move(v), {Reason::own_or_broadcast_source, {source}}, true);
  if (found && comes_by(host, v.reverse, q.packet.in_device)) return v;
  const bool no_address = !has_v4_address(host, q.packet.in_device);
  if (!found || no_address) {
    if (s.rp_filter == 0) return v;
    return refuse(std::move(v),
                  no_address ? Cause{Reason::reverse_path_no_address, {q.packet.in_device}}
                             : Cause{Reason::reverse_path_no_route, {source}},
                  false);
  }
  if (s.rp_filter == kStrict) {
    Cause why = by_other_device(source, q.packet.in_device, v.reverse);
    return refuse(std::move(v), std::move(why), false);
  }
  return v;
}

Validation check(const Host& host, const ValidationQuery& q, const Settings& s) {
  if (s.rp_filter != 0 || (turns_back(q) && s.send_redirects != 0)) return full_check(host, q, s);
  if (s.accept_local != 0) return {};
  if (has_custom_rules(host) || has_custom_local_routes(host)) return full_check(host, q, s);
  if (const host::Link* owner = host.owner_of(*q.packet.from)) {
    Validation v;
    for (const auto& a : owner->addresses)
      if (a.prefix.address == *q.packet.from) v.evidence.push_back(a.from);
    return refuse(std::move(v), {Reason::own_source, {*q.packet.from}}, true);
  }
  return {};
}

std::vector<int> values_of(const Setting& s, std::initializer_list<int> all) {
  return s.value ? std::vector<int>{*s.value} : std::vector<int>(all);
}

// What the kernel's own defaults make of settings that are not dumped.
Settings with_defaults(const DumpedSettings& k) {
  return {k.rp_filter.value.value_or(0), k.accept_local.value.value_or(0), k.src_valid_mark.value.value_or(0),
          k.send_redirects.value.value_or(1)};
}

// Assumes every missing setting that, changed alone, turns the outcome.
void assume_settings(const Host& host, const ValidationQuery& q, const DumpedSettings& k, Validation& v) {
  const auto try_values = [&](const Setting& setting, std::initializer_list<int> all, int Settings::*member) {
    if (setting.value) return;
    for (const int value : values_of(setting, all)) {
      Settings s = with_defaults(k);
      const int assumed = s.*member;
      s.*member = value;
      if (value == assumed || check(host, q, s).accepted == v.accepted) continue;
      v.assumptions.push_back({Supposition::source_validation,
                               {setting.key, static_cast<std::uint64_t>(assumed)},
                               {*q.packet.from, q.packet.in_device}});
      return;
    }
  };
  try_values(k.rp_filter, {0, 1, 2}, &Settings::rp_filter);
  try_values(k.accept_local, {0, 1}, &Settings::accept_local);
  try_values(k.src_valid_mark, {0, 1}, &Settings::src_valid_mark);
  try_values(k.send_redirects, {0, 1}, &Settings::send_redirects);
}

}  // namespace

Validation validate_source(const Host& host, const ValidationQuery& query) {
  if (!query.packet.from || !query.packet.from->is_v4() || query.packet.is_local()) return {};
  const DumpedSettings known = read_settings(host, query);
  Validation v = check(host, query, with_defaults(known));
  if (!v.accepted)
    for (const Setting* s : {&known.rp_filter, &known.accept_local})
      v.evidence.insert(v.evidence.end(), s->evidence.begin(), s->evidence.end());
  assume_settings(host, query, known, v);
  return v;
}

}  // namespace egt::engine
