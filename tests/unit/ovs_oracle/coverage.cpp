#include "coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include "fields.h"

namespace egt::testing {
namespace {

// Forms of actions that are distinguished, by how their text begins or what it holds. The switch keeps some as others:
// enqueue as set_queue, output and pop_queue, mod_vlan_vid as push_vlan and set_field.
struct ActionForm {
  const char* name;
  const char* pattern;
};
constexpr ActionForm kForms[] = {
    {"output:N", "^output:[0-9]+$"},
    {"output:name", "^output:(\"|[a-z])"},
    {"output:field", "^output:[A-Z]+_"},
    {"output(port,max_len)", "^output\\(port="},
    {"LOCAL", "^LOCAL$"},
    {"IN_PORT", "^IN_PORT$"},
    {"NORMAL", "^NORMAL$"},
    {"FLOOD", "^FLOOD$"},
    {"ALL", "^ALL$"},
    {"CONTROLLER:N", "^CONTROLLER"},
    {"controller(reason)", "^controller\\(.*reason="},
    {"controller(max_len)", "^controller\\(.*max_len="},
    {"controller(id)", "^controller\\(.*id="},
    {"controller(userdata)", "^controller\\(.*userdata="},
    {"controller(pause)", "^controller\\(.*pause"},
    {"controller(meter_id)", "^controller\\(.*meter_id="},
    {"bundle active_backup", "^bundle\\(.*active_backup"},
    {"bundle hrw", "^bundle\\(.*hrw"},
    {"bundle_load", "^bundle_load"},
    {"group", "^group"},
    {"strip_vlan/pop_vlan", "^(strip|pop)_vlan"},
    {"push_vlan", "^push_vlan"},
    {"push_mpls", "^push_mpls"},
    {"pop_mpls", "^pop_mpls"},
    {"dec_mpls_ttl", "^dec_mpls_ttl"},
    {"set_mpls_label", "(^set_mpls_label|->mpls_label$)"},
    {"set_mpls_tc", "(^set_mpls_tc|->mpls_tc$)"},
    {"set_mpls_ttl", "(^set_mpls_ttl|->mpls_ttl$)"},
    {"set_field", "^set_field:[^/]*->"},
    {"set_field masked", "^set_field:[^/]*/.*->"},
    {"move", "^move"},
    {"push", "^push:"},
    {"pop", "^pop:"},
    {"set_queue", "^set_queue"},
    {"pop_queue", "^pop_queue"},
    {"dec_ttl", "^dec_ttl$"},
    {"dec_ttl(ids)", "^dec_ttl\\("},
    {"fin_timeout", "^fin_timeout"},
    {"multipath modulo_n", "^multipath.*modulo_n"},
    {"multipath hash_threshold", "^multipath.*hash_threshold"},
    {"multipath hrw", "^multipath.*hrw"},
    {"multipath iter_hash", "^multipath.*iter_hash"},
    {"resubmit(,T)", "^resubmit\\(,[0-9]+\\)"},
    {"resubmit(P,T)", "^resubmit\\([^,)]+,"},
    {"resubmit(,T,ct)", "^resubmit\\([^)]*,ct\\)"},
    {"resubmit:P", "^resubmit:"},
    {"goto_table", "^goto_table"},
    {"clone", "^clone"},
    {"ct", "^ct\\("},
    {"ct(commit)", "^ct\\(commit"},
    {"ct(force)", "^ct\\(commit,force"},
    {"ct(table)", "^ct\\(.*table="},
    {"ct(zone=N)", "^ct\\(.*zone=[0-9]"},
    {"ct(zone=field)", "^ct\\(.*zone=[A-Z]"},
    {"ct(exec mark)", "^ct\\(.*exec\\(.*(ct_mark|CT_MARK)"},
    {"ct(exec label)", "^ct\\(.*exec\\(.*(ct_label|CT_LABEL)"},
    {"ct(exec move)", "^ct\\(.*exec\\(.*move"},
    {"ct(alg)", "^ct\\(.*alg="},
    {"nat", "^nat$"},
    {"nat(src)", "^nat\\(src\\)"},
    {"nat(src=)", "^nat\\(src="},
    {"nat(dst=)", "^nat\\(dst="},
    {"nat range", "^nat\\(.*=[^,]*-"},
    {"nat ports", "^nat\\(.*=[0-9.\\-]*:[0-9]"},
    {"nat persistent", "^nat\\(.*persistent"},
    {"nat hash", "^nat\\(.*hash"},
    {"nat random", "^nat\\(.*random"},
    {"ct_clear", "^ct_clear"},
    {"learn", "^learn"},
    {"learn delete_learned", "^learn.*delete_learned"},
    {"learn result_dst", "^learn.*result_dst"},
    {"learn limit", "^learn.*limit"},
    {"note", "^note"},
    {"sample", "^sample"},
    {"check_pkt_larger", "^check_pkt_larger"},
    {"exit", "^exit$"},
    {"write_actions", "^write_actions"},
    {"clear_actions", "^clear_actions"},
    {"write_metadata", "^write_metadata"},
    {"meter", "^meter"},
    {"encap(nsh)", "^encap\\(nsh"},
    {"encap(ethernet)", "^encap\\(ethernet"},
    {"encap(mpls)", "^encap\\(mpls"},
    {"decap", "^decap"},
    {"dec_nsh_ttl", "^dec_nsh_ttl"},
    {"delete_field", "^delete_field"},
    {"bucket", "^bucket [0-9]+$"},
    {"conjunctive flow", "^conj_id$"},
};

const std::vector<std::pair<std::string, std::regex>>& forms() {
  static const auto all = [] {
    std::vector<std::pair<std::string, std::regex>> list;
    for (const ActionForm& f : kForms) list.emplace_back(f.name, std::regex(f.pattern));
    return list;
  }();
  return all;
}

// "->reg0", "->NXM_NX_REG0[0..3]": the field behind it.
const FieldSpec* field_named(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("[,)"));
  for (const FieldSpec& f : field_specs())
    if (name == f.name || name == f.nxm || (f.match_name != nullptr && name == f.match_name)) return &f;
  return nullptr;
}

}  // namespace

void Coverage::action(std::string_view text) {
  const std::string line(text);
  for (const auto& [name, pattern] : forms())
    if (std::regex_search(line, pattern)) ++actions_[name];
  const auto count = [&](std::string_view name, const char* role) {
    if (const FieldSpec* f = field_named(name)) ++fields_[fmt::format("{} {}", f->name, role)];
  };
  const std::size_t to = text.rfind("->");
  if (text.starts_with("set_field:") && to != text.npos)
    count(text.substr(to + 2), text.substr(0, to).find('/') == text.npos ? "set" : "set masked");
  if (text.starts_with("load:") && to != text.npos) count(text.substr(to + 2), "set masked");
  if (text.starts_with("push:")) count(text.substr(5), "source");
  if (text.starts_with("pop:")) count(text.substr(4), "destination");
  if (!text.starts_with("move:") || to == text.npos) return;
  count(text.substr(5), "source");
  count(text.substr(to + 2), "destination");
}

void Coverage::match(const GeneratedMatch& match) {
  if (match.protocol != nullptr && !(match.protocol->kinds & kind::ethernet)) ++fields_["packet_type match"];
  for (const Term& t : match.terms)
    ++fields_[fmt::format("{} {}", t.field->name, t.masking == Masking::partial ? "match masked" : "match")];
}

void Coverage::add(const std::string& trace, const Configuration& c) {
  static const std::regex kTable(R"(^ *[0-9]+\. (.*, )?priority [0-9]+(, cookie 0x([0-9a-f]+))?$)");
  std::map<unsigned, const GeneratedFlow*> flows;
  for (const GeneratedFlow& f : c.flows)
    if (f.cookie != 0) flows.emplace(f.cookie, &f);
  std::istringstream in(trace);
  std::smatch m;
  for (std::string line; std::getline(in, line);) {
    if (line.find("Datapath actions:") == 0 || line.find("egaflow:") != std::string::npos) continue;
    if (std::regex_match(line, m, kTable)) {
      if (m[1].str().starts_with("conj_id")) ++actions_["conjunctive flow"];
      const auto flow = m[3].matched ? flows.find(static_cast<unsigned>(std::stoul(m[3], nullptr, 16))) : flows.end();
      if (flow != flows.end()) match(flow->second->match);
    } else if (const std::size_t begin = line.find_first_not_of(' '); begin != std::string::npos && begin >= 4) {
      if (line.compare(begin, 2, "->") != 0 && line.compare(begin, 2, ">>") != 0) action(std::string_view(line).substr(begin));
    }
  }
}

std::string Coverage::report(unsigned least) const {
  std::string out = "executed:";
  for (const auto& [name, pattern] : forms()) {
    const auto n = actions_.find(name);
    out += fmt::format(" {} {};", name, n == actions_.end() ? 0 : n->second);
  }
  out += "\nfields:";
  for (const auto& [name, n] : fields_) out += fmt::format(" {} {};", name, n);
  out += fmt::format("\nfewer than {}:", least);
  for (const auto& [name, pattern] : forms())
    if (const auto n = actions_.find(name); n == actions_.end() || n->second < least) out += " " + name + ";";
  for (const FieldSpec& f : field_specs()) {
    const auto few = [&](const char* role) {
      const auto n = fields_.find(fmt::format("{} {}", f.name, role));
      if (n == fields_.end() || n->second < least) out += fmt::format(" {} {};", f.name, role);
    };
    const std::string_view name = f.name;
    if (name == "dp_hash") continue;  // the switch takes it in tables of its own only
    few("match");
    if (f.maskable) few("match masked");
    if (!in_actions(f)) continue;
    few("source");
    if (f.writable) few("destination");
    if (f.writable && name != "in_port_oxm") few("set");  // which no action sets
    if (f.maskable && f.writable) few("set masked");
  }
  return out + "\n";
}

}  // namespace egt::testing
