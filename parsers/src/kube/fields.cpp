#include "kube/fields.h"

#include "egtrace/base/text.h"

namespace egt::parsers::kube {

const Json& at(const Json& j, const char* key) {
  static const Json kNothing;
  if (!j.is_object()) return kNothing;
  const auto it = j.find(key);
  return it == j.end() ? kNothing : *it;
}

std::string text(const Json& j) {
  if (j.is_string()) return j.get<std::string>();
  return j.is_number_integer() || j.is_boolean() ? j.dump() : std::string();
}

std::string text(const Json& j, const char* key) { return text(at(j, key)); }

std::map<std::string, std::string> string_map(const Json& j) {
  std::map<std::string, std::string> all;
  if (j.is_object())
    for (const auto& [key, value] : j.items()) all.emplace(key, text(value));
  return all;
}

std::vector<std::string> strings(const Json& j) {
  std::vector<std::string> all;
  if (j.is_string()) all.push_back(j.get<std::string>());
  if (j.is_array())
    for (const Json& element : j)
      if (element.is_string()) all.push_back(element.get<std::string>());
  return all;
}

void add_address(std::vector<IpAddr>& all, const std::string& text) {
  if (const auto a = IpAddr::parse(text)) add_once(all, *a);
}

cluster::LabelSelector selector(const Json& j, bool absent_selects_all) {
  cluster::LabelSelector s;
  s.present = j.is_object() || absent_selects_all;
  s.match_labels = string_map(at(j, "matchLabels"));
  const Json& expressions = at(j, "matchExpressions");
  if (expressions.is_array())
    for (const Json& e : expressions) s.expressions.push_back({text(e, "key"), text(e, "operator"), strings(at(e, "values"))});
  return s;
}

std::optional<std::uint64_t> number(const Json& j) {
  if (j.is_number_unsigned()) return j.get<std::uint64_t>();
  if (j.is_number_integer())
    return j.get<std::int64_t>() >= 0 ? std::optional<std::uint64_t>(j.get<std::uint64_t>()) : std::nullopt;
  return j.is_string() ? parse_decimal(j.get_ref<const std::string&>()) : std::nullopt;
}

std::string protocol_of(const Json& port) {
  const std::string protocol = text(port, "protocol");
  return protocol.empty() ? "TCP" : protocol;
}

std::uint16_t port_number(const Json& j) {
  const auto n = number(j);
  return n && *n <= 65535 ? static_cast<std::uint16_t>(*n) : std::uint16_t{0};
}

}  // namespace egt::parsers::kube
