#include "json_parts.h"

namespace egt::render {

Json evidence_json(const explain::Evidence& evidence) {
  Json all = Json::array();
  for (const explain::EvidenceLine& e : evidence) {
    all.push_back({{"dump", e.dump}, {"line", e.line}, {"text", e.text}});
    if (!e.table.empty()) all.back().update({{"table", e.table}, {"uuid", e.uuid}});
  }
  return all;
}

Json end_json(const explain::EndReport& e) {
  Json j = {{"kind", e.kind}};
  if (!e.name.empty()) j["name"] = e.name;
  if (!e.node.empty()) j["node"] = e.node;
  if (!e.ip.empty()) j["ip"] = e.ip;
  return j;
}

Json gaps_json(const std::vector<Gap>& gaps) {
  Json all = Json::array();
  for (const Gap& g : gaps) all.push_back({{"node", g.node}, {"what", g.what}, {"command", g.command}});
  return all;
}

Json properties_json(const std::vector<assess::Property>& properties) {
  Json all = Json::object();
  for (const assess::Property& p : properties) all[p.name] = p.value;
  return all;
}

std::string dump_json(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace egt::render
