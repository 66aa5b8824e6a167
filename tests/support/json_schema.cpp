#include "support/json_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

class Validator {
 public:
  Validator(const json& root, std::vector<std::string>& errors) : root_(root), errors_(errors) {}

  void check(const json& schema, const json& value, const std::string& at) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) fail(at, "is not allowed here");
      return;
    }
    for (const auto& [keyword, rule] : schema.items()) keyword_(keyword, rule, schema, value, at);
  }

 private:
  void fail(const std::string& at, const std::string& what) { errors_.push_back((at.empty() ? "/" : at) + ": " + what); }

  static bool has_type(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "array") return value.is_array();
    return value.type_name() == type;  // object, string, boolean, null
  }

  bool fits(const json& schema, const json& value, const std::string& at) {
    std::vector<std::string> own;
    Validator(root_, own).check(schema, value, at);
    return own.empty();
  }

  void keyword_(const std::string& keyword, const json& rule, const json& schema, const json& value, const std::string& at) {
    static const std::vector<std::string> kNotes = {"$schema", "$id", "$defs", "$comment", "title", "description"};
    if (std::find(kNotes.begin(), kNotes.end(), keyword) != kNotes.end()) return;
    if (keyword == "$ref") {
      check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, at);
    } else if (keyword == "type") {
      type(rule, value, at);
    } else if (keyword == "const") {
      if (value != rule) fail(at, fmt::format("is {}, not {}", value.dump(), rule.dump()));
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) fail(at, value.dump() + " is none of " + rule.dump());
    } else if (keyword == "anyOf") {
      const bool any = std::any_of(rule.begin(), rule.end(), [&](const json& s) { return fits(s, value, at); });
      if (!any) fail(at, "fits none of the alternatives: " + value.dump().substr(0, 120));
    } else if (!object_keyword(keyword, rule, schema, value, at) && !plain_keyword(keyword, rule, value, at)) {
      fail(at, "the schema uses the keyword " + keyword + ", which this validator does not know");
    }
  }

  void type(const json& rule, const json& value, const std::string& at) {
    const std::vector<std::string> types =
        rule.is_array() ? rule.get<std::vector<std::string>>() : std::vector<std::string>{rule.get<std::string>()};
    const bool any = std::any_of(types.begin(), types.end(), [&](const std::string& t) { return has_type(value, t); });
    if (!any) fail(at, fmt::format("is {}, not {}", value.type_name(), fmt::join(types, " or ")));
  }

  bool object_keyword(const std::string& keyword, const json& rule, const json& schema, const json& value,
                      const std::string& at) {
    if (keyword == "properties") {
      if (!value.is_object()) return true;
      for (const auto& [name, sub] : rule.items()) {
        if (value.contains(name)) check(sub, value.at(name), at + "/" + name);
      }
      return true;
    }
    if (keyword == "required") {
      for (const json& name : rule) {
        if (value.is_object() && !value.contains(name.get<std::string>())) fail(at, "lacks " + name.dump());
      }
      return true;
    }
    if (keyword != "additionalProperties") return false;
    if (!value.is_object()) return true;
    for (const auto& [name, member] : value.items()) {
      if (!schema.contains("properties") || !schema.at("properties").contains(name)) check(rule, member, at + "/" + name);
    }
    return true;
  }

  bool plain_keyword(const std::string& keyword, const json& rule, const json& value, const std::string& at) {
    if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) check(rule, value[i], fmt::format("{}/{}", at, i));
    } else if (keyword == "minItems") {
      if (value.is_array() && value.size() < rule.get<std::size_t>()) fail(at, "has too few items");
    } else if (keyword == "maxItems") {
      if (value.is_array() && value.size() > rule.get<std::size_t>()) fail(at, "has too many items");
    } else if (keyword == "minimum") {
      if (value.is_number() && value.get<double>() < rule.get<double>()) fail(at, "is below " + rule.dump());
    } else if (keyword == "maximum") {
      if (value.is_number() && value.get<double>() > rule.get<double>()) fail(at, "is above " + rule.dump());
    } else {
      return false;
    }
    return true;
  }

  const json& root_;
  std::vector<std::string>& errors_;
};

}  // namespace

std::vector<std::string> schema_errors(const json& schema, const json& document) {
  std::vector<std::string> errors;
  Validator(schema, errors).check(schema, document, "");
  return errors;
}

std::vector<std::string> contract_errors(const json& document) {
  const std::string name = document.is_object() ? document.value("schema", "") : "";
  const std::size_t dot = name.find('.'), slash = name.find('/');
  if (!name.starts_with("egtrace.") || slash == std::string::npos) return {"/schema: names no schema of egtrace"};
  const std::string verb = name.substr(dot + 1, slash - dot - 1);
  const std::string text = read_file(std::string(EGTRACE_SOURCE_DIR) + "/docs/schema/" + verb + ".schema.json");
  if (text.empty()) return {"docs/schema/" + verb + ".schema.json is missing"};
  return schema_errors(json::parse(text), document);
}

}  // namespace egt::testing
