#include "iproute2/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"

namespace egt::parsers::iproute2 {
namespace {

constexpr std::size_t kDeepest = 32;

// Builds a JsonValue from nlohmann's events, which come without recursion.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put(JsonValue{}); }
  bool boolean(bool v) override { return put(JsonValue{v}); }
  bool number_integer(number_integer_t v) override { return put(JsonValue{JsonNumber{std::to_string(v)}}); }
  bool number_unsigned(number_unsigned_t v) override { return put(JsonValue{JsonNumber{std::to_string(v)}}); }
  bool number_float(number_float_t, const string_t& text) override { return put(JsonValue{JsonNumber{text}}); }
  bool string(string_t& v) override { return put(JsonValue{std::move(v)}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonValue{JsonObject{}}); }
  bool start_array(std::size_t) override { return open(JsonValue{JsonArray{}}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    stack_.back().key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  JsonValue take() { return std::move(root_); }

 private:
  struct OpenContainer {
    JsonValue value;
    std::string key;
  };

  bool put(JsonValue v) {
    if (stack_.empty()) {
      root_ = std::move(v);
      return true;
    }
    OpenContainer& top = stack_.back();
    if (auto* array = std::get_if<JsonArray>(&top.value.node))
      array->push_back(std::move(v));
    else
      std::get<JsonObject>(top.value.node).emplace_back(std::move(top.key), std::move(v));
    return true;
  }
  bool open(JsonValue v) {
    if (stack_.size() >= kDeepest) return false;
    stack_.push_back({std::move(v), {}});
    return true;
  }
  bool close() {
    JsonValue v = std::move(stack_.back().value);
    stack_.pop_back();
    return put(std::move(v));
  }

  std::vector<OpenContainer> stack_;
  JsonValue root_;
};

std::string quoted(const std::string& s) {
  return nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void print_compact(const JsonValue& v, std::string& out);

struct CompactPrinter {
  std::string& out;
  void operator()(std::nullptr_t) const { out += "null"; }
  void operator()(bool b) const { out += b ? "true" : "false"; }
  void operator()(const JsonNumber& n) const { out += n.text; }
  void operator()(const std::string& s) const { out += quoted(s); }
  void operator()(const JsonArray& a) const {
    out += '[';
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i) out += ',';
      print_compact(a[i], out);
    }
    out += ']';
  }
  void operator()(const JsonObject& o) const {
    out += '{';
    for (std::size_t i = 0; i < o.size(); ++i) {
      if (i) out += ',';
      out += quoted(o[i].first) + ":";
      print_compact(o[i].second, out);
    }
    out += '}';
  }
};

void print_compact(const JsonValue& v, std::string& out) { std::visit(CompactPrinter{out}, v.node); }

// iproute2's own layout (lib/json_writer.c): brackets share a line, members are indented by four blanks a level.
void print_pretty(const JsonValue& v, std::size_t depth, std::string& out) {
  const auto new_line = [&](std::size_t levels) { out += "\n" + std::string(levels * 4, ' '); };
  if (const auto* a = std::get_if<JsonArray>(&v.node)) {
    out += "[ ";
    for (std::size_t i = 0; i < a->size(); ++i) {
      if (i) out += ',';
      const bool scalar = !std::holds_alternative<JsonObject>((*a)[i].node) && !std::holds_alternative<JsonArray>((*a)[i].node);
      if (i && scalar) out += ' ';
      print_pretty((*a)[i], depth + 1, out);
    }
    out += a->empty() ? "]" : " ]";
  } else if (const auto* o = std::get_if<JsonObject>(&v.node)) {
    out += '{';
    for (std::size_t i = 0; i < o->size(); ++i) {
      if (i) out += ',';
      new_line(depth + 1);
      out += quoted((*o)[i].first) + ": ";
      print_pretty((*o)[i].second, depth + 1, out);
    }
    new_line(depth);
    out += '}';
  } else {
    print_compact(v, out);
  }
}

bool is_object_with(const JsonValue& v, std::initializer_list<std::string_view> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](std::string_view k) { return v.has(k); });
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto* object = std::get_if<JsonObject>(&node);
  if (!object) return nullptr;
  const auto found = std::find_if(object->begin(), object->end(), [&](const auto& member) { return member.first == key; });
  return found == object->end() ? nullptr : &found->second;
}

std::string JsonValue::text(std::string_view key) const {
  const JsonValue* v = find(key);
  if (!v) return {};
  if (const auto* s = std::get_if<std::string>(&v->node)) return *s;
  const auto* n = std::get_if<JsonNumber>(&v->node);
  return n ? n->text : std::string();
}

std::optional<JsonValue> parse_json(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder.take();
}

std::string compact_json(const JsonValue& value) {
  std::string out;
  print_compact(value, out);
  return out;
}

std::string pretty_json(const JsonValue& value) {
  std::string out;
  print_pretty(value, 0, out);
  return out;
}

std::string print_json(const JsonValue& value, std::string_view original) {
  const std::string_view body = trim(original);
  const std::string before(original.substr(0, static_cast<std::size_t>(body.data() - original.data())));
  const std::string behind(original.substr(before.size() + body.size()));
  const std::string compact = compact_json(value);
  if (compact == body) return before + compact + behind;
  const std::string pretty = pretty_json(value);
  return pretty == body ? before + pretty + behind : std::string(original);
}

JsonKind kind_of(const JsonValue& document) {
  const JsonArray* array = document.array();
  if (!array) return JsonKind::none;
  for (const JsonValue& v : *array) {
    if (is_object_with(v, {"mac", "ifname"})) return JsonKind::forwarding;
    if (v.has("vlans") || v.has("tunnels")) return JsonKind::bridge_vlans;
    if (v.has("vnis")) return JsonKind::vnis;
    if (v.has("id") && !v.has("dst") && (v.has("gateway") || v.has("dev") || v.has("group") || v.has("blackhole")))
      return JsonKind::next_hops;
    if (v.has("ifname") && (v.has("flags") || v.has("addr_info") || v.has("ifindex"))) return JsonKind::links;
    if (is_object_with(v, {"priority", "src"})) return JsonKind::rules;
    if (is_object_with(v, {"dst", "flags"}) || is_object_with(v, {"dst", "protocol"}) || is_object_with(v, {"dst", "gateway"}))
      return JsonKind::routes;
    if (v.has("dst") && (v.has("lladdr") || v.has("state") || v.has("proxy"))) return JsonKind::neighbours;
  }
  return JsonKind::none;
}

}  // namespace egt::parsers::iproute2
