#include "nft/json_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"

namespace egt::parsers::nft {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kMaxDepth = 64;

std::optional<Json> parse(std::string_view text) {
  // The parser itself does not recurse; what reads the result does, so deep nesting is refused first.
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (c == '"')
      quoted = true;
    else if (c == '{' || c == '[')
      ++depth;
    else if (c == '}' || c == ']')
      --depth;
    if (depth > kMaxDepth) return std::nullopt;
  }
  Json doc = Json::parse(text.begin(), text.end(), nullptr, false);
  if (doc.is_discarded()) return std::nullopt;
  return doc;
}

// --- as jansson prints ---------------------------------------------------------------------------------------------
void dump(const Json& j, std::string& out) {
  if (j.is_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : j.items()) {
      if (!first) out += ", ";
      first = false;
      out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
      dump(value, out);
    }
    out += '}';
  } else if (j.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < j.size(); ++i) {
      if (i > 0) out += ", ";
      dump(j[i], out);
    }
    out += ']';
  } else {
    out += j.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

// --- as a listing words it -----------------------------------------------------------------------------------------
std::string text_at(const Json& j, const char* key) {
  const auto found = j.find(key);
  if (found == j.end()) return {};
  return found->is_string() ? found->get<std::string>() : found->is_number() ? found->dump() : std::string();
}

const Json& at(const Json& j, const char* key) {
  static const Json kNull;
  const auto found = j.is_object() ? j.find(key) : j.end();
  return j.is_object() && found != j.end() ? *found : kNull;
}

// The one key of an object like {"meta": {…}}.
std::string kind_of(const Json& j) { return j.is_object() && j.size() >= 1 ? j.begin().key() : std::string(); }

std::string expression(const Json& j, bool operand = false);

std::string joined(const Json& list, std::string_view separator) {
  std::string out;
  if (!list.is_array()) return expression(list);
  for (const Json& e : list) {
    if (!out.empty()) out += separator;
    out += expression(e);
  }
  return out;
}

bool is_word(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == ':' || c == '/' ||
           c == '-' || c == '*' || c == '@';
  });
}

std::string quoted(std::string s) {
  std::replace(s.begin(), s.end(), '"', '\'');
  return "\"" + s + "\"";
}

std::string element(const Json& e);

std::string set(const Json& elements) {
  std::string out = "{ ";
  if (!elements.is_array()) return out + element(elements) + " }";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ", ";
    out += element(elements[i]);
  }
  return out + " }";
}

std::string with(const Json& body, const char* key, const char* word) {
  const std::string value = text_at(body, key);
  return value.empty() ? std::string() : fmt::format(" {} {}", word, value);
}

std::string object_expression(const std::string& kind, const Json& body, bool operand) {
  if (kind == "meta") return "meta " + text_at(body, "key");
  if (kind == "payload") {
    if (body.contains("base")) {
      return fmt::format("@{},{},{}", text_at(body, "base"), text_at(body, "offset"), text_at(body, "len"));
    }
    const std::string tunnel = text_at(body, "tunnel");
    std::string field = text_at(body, "field");
    const std::string protocol = text_at(body, "protocol");
    if (protocol == "arp") std::replace(field.begin(), field.end(), '_', ' ');
    return (tunnel.empty() ? "" : tunnel + " ") + protocol + " " + field;
  }
  if (kind == "ct") {
    std::string out = "ct";
    for (const char* key : {"dir", "family", "key"}) {
      const std::string word = text_at(body, key);
      if (!word.empty()) out += " " + word;
    }
    return out;
  }
  if (kind == "fib") return fmt::format("fib {} {}", joined(at(body, "flags"), " . "), text_at(body, "result"));
  if (kind == "rt") {
    const std::string family = text_at(body, "family");
    return "rt " + (family.empty() ? "" : family + " ") + text_at(body, "key");
  }
  if (kind == "socket") return "socket " + text_at(body, "key") + with(body, "level", "level");
  if (kind == "numgen") {
    return fmt::format("numgen {} mod {}", text_at(body, "mode"), text_at(body, "mod")) + with(body, "offset", "offset");
  }
  if (kind == "jhash") {
    return fmt::format("jhash {} mod {}", expression(at(body, "expr")), text_at(body, "mod")) + with(body, "seed", "seed") +
           with(body, "offset", "offset");
  }
  if (kind == "symhash") return "symhash mod " + text_at(body, "mod") + with(body, "offset", "offset");
  if (kind == "tcp option" || kind == "ip option" || kind == "dccp option") {
    const std::string field = text_at(body, "field");
    return kind + " " + text_at(body, "name") + (field.empty() ? "" : " " + field);
  }
  if (kind == "exthdr") {
    const std::string field = text_at(body, "field");
    return field.empty() ? "exthdr " + text_at(body, "name") : text_at(body, "name") + " " + field;
  }
  if (kind == "concat") return joined(body, " . ");
  if (kind == "set") return set(body);
  if (kind == "map") return expression(at(body, "key")) + " map " + expression(at(body, "data"));
  if (kind == "prefix") return expression(at(body, "addr")) + "/" + text_at(body, "len");
  if (kind == "range") return joined(body, "-");
  if (kind == "elem") return element(Json{{"elem", body}});
  for (const char* op : {"&", "|", "^", "<<", ">>"}) {
    if (kind != op || !body.is_array() || body.size() < 2) continue;
    std::string out = expression(body[0], true);
    for (std::size_t i = 1; i < body.size(); ++i) out += fmt::format(" {} {}", op, expression(body[i], true));
    return operand ? "(" + out + ")" : out;
  }
  if (kind == "jump" || kind == "goto") return kind + " " + text_at(body, "target");
  if (kind == "accept" || kind == "drop" || kind == "return" || kind == "continue") return kind;
  return "<" + kind + ">";
}

std::string expression(const Json& j, bool operand) {
  if (j.is_string()) {
    const std::string s = j.get<std::string>();
    return is_word(s) ? s : quoted(s);
  }
  if (j.is_boolean()) return j.get<bool>() ? "exists" : "missing";
  if (j.is_array()) return joined(j, ",");
  if (j.is_object()) return object_expression(kind_of(j), j.begin().value(), operand);
  return j.dump();
}

// [key, data] in maps; {"elem": {"val": …, "comment": …}} where there is more than the value.
std::string element(const Json& e) {
  if (e.is_array() && e.size() == 2) return element(e[0]) + " : " + expression(e[1]);
  const Json& body = at(e, "elem");
  if (!body.is_object()) return expression(e);
  std::string out = expression(at(body, "val"));
  for (const char* key : {"timeout", "expires"}) {
    const std::string seconds = text_at(body, key);
    if (!seconds.empty()) out += fmt::format(" {} {}s", key, seconds);
  }
  const Json& counter = at(body, "counter");
  if (counter.is_object()) {
    out += fmt::format(" counter packets {} bytes {}", text_at(counter, "packets"), text_at(counter, "bytes"));
  }
  for (const char* guard : {"limit", "quota"}) {
    if (body.contains(guard)) out += fmt::format(" {} name \"guard\"", guard);
  }
  const std::string comment = text_at(body, "comment");
  return comment.empty() ? out : out + " comment " + quoted(comment);
}

std::string flags(const Json& body) {
  const Json& f = at(body, "flags");
  return f.is_null() ? std::string() : " " + joined(f, ",");
}

std::string nat(const std::string& kind, const Json& body) {
  std::string out = kind;
  if (!body.is_object()) return out;
  const std::string family = text_at(body, "family");
  if (!family.empty() && kind != "masquerade" && kind != "redirect") out += " " + family;
  const Json& types = at(body, "type_flags");
  if (types == "prefix" || (types.is_array() && std::find(types.begin(), types.end(), "prefix") != types.end())) {
    out += " prefix";
  }
  const bool has_address = body.contains("addr"), has_port = body.contains("port");
  if (has_address || has_port) out += " to ";
  std::string address = has_address ? expression(at(body, "addr")) : std::string();
  if (has_port && address.find(':') != std::string::npos && address.find(' ') == std::string::npos) {
    const std::size_t dash = address.find('-');
    address =
        dash == std::string::npos ? "[" + address + "]" : "[" + address.substr(0, dash) + "]-[" + address.substr(dash + 1) + "]";
  }
  out += address;
  if (has_port) out += ":" + expression(at(body, "port"));
  return out + flags(body);
}

// dup, fwd: a device alone stands where otherwise the address does.
std::string sent_elsewhere(const std::string& kind, const Json& body) {
  const std::string family = text_at(body, "family");
  const bool addressed = body.is_object() && body.contains("addr");
  std::string out = kind + (family.empty() ? "" : " " + family) + " to " + expression(at(body, addressed ? "addr" : "dev"));
  if (addressed && body.contains("dev")) out += " device " + expression(at(body, "dev"));
  return out;
}

std::string match(const Json& body) {
  std::string op = text_at(body, "op");
  // "in": any of these bits; the listing has no operator then. Sets have none either.
  const std::string left = expression(at(body, "left")), right = expression(at(body, "right"));
  if (op == "in") return left + " " + right;
  if (op == "==" && (right.front() == '@' || right.front() == '{')) return left + " " + right;
  return left + " " + op + " " + right;
}

std::string limit(const Json& body) {
  if (!body.is_object()) return "limit name \"" + (body.is_string() ? body.get<std::string>() : std::string()) + "\"";
  const std::string unit = text_at(body, "rate_unit");
  return fmt::format("limit rate {}{}{}/{}", at(body, "inv") == true ? "over " : "", text_at(body, "rate"),
                     unit.empty() || unit == "packets" ? "" : " " + unit, text_at(body, "per"));
}

std::string set_update(const Json& body, const char* name_key) {
  std::string element_text = element(at(body, "elem"));
  const Json& statements = at(body, "stmt");
  if (statements.is_array() || statements.is_object()) element_text += " limit name \"guard\"";
  if (body.contains("data")) element_text += " : " + expression(at(body, "data"));
  return fmt::format("{} {} {{ {} }}", text_at(body, "op"), text_at(body, name_key), element_text);
}

std::string statement(const Json& s) {
  const std::string kind = kind_of(s);
  if (kind.empty()) return "<" + s.dump() + ">";
  const Json& body = s.begin().value();
  if (kind == "match") return match(body);
  if (kind == "vmap") return expression(at(body, "key")) + " vmap " + expression(at(body, "data"));
  if (kind == "mangle") return expression(at(body, "key")) + " set " + expression(at(body, "value"));
  if (kind == "counter") {
    if (body.is_string()) return "counter name " + quoted(body.get<std::string>());
    if (!body.is_object() || !body.contains("packets")) return "counter";
    return fmt::format("counter packets {} bytes {}", text_at(body, "packets"), text_at(body, "bytes"));
  }
  if (kind == "snat" || kind == "dnat" || kind == "masquerade" || kind == "redirect") return nat(kind, body);
  if (kind == "reject") {
    const std::string type = text_at(body, "type"), with_text = text_at(body, "expr");
    return type.empty() ? "reject" : "reject with " + type + (with_text.empty() ? "" : " " + with_text);
  }
  if (kind == "limit") return limit(body);
  if (kind == "log") return "log";
  if (kind == "notrack") return "notrack";
  if (kind == "last") return "last";
  if (kind == "queue") return "queue";
  if (kind == "quota") return "quota name \"of JSON\"";
  if (kind == "tproxy") return nat(kind, body);
  if (kind == "set") return set_update(body, "set");
  if (kind == "map") return set_update(body, "map");
  if (kind == "meter") return "meter " + text_at(body, "name") + " { 0 limit name \"guard\" }";
  if (kind == "flow") return "flow add " + text_at(body, "flowtable");
  if (kind == "xt") return fmt::format("xt {} \"{}\"", text_at(body, "type"), text_at(body, "name"));
  if (kind == "ct count") return fmt::format("ct count {}{}", at(body, "inv") == true ? "over " : "", text_at(body, "val"));
  if (kind == "ct helper" || kind == "ct timeout" || kind == "ct expectation") return kind + " set \"object\"";
  if (kind == "accept" || kind == "drop" || kind == "return" || kind == "continue" || kind == "jump" || kind == "goto") {
    return expression(s);
  }
  if (kind == "dup" || kind == "fwd") return sent_elsewhere(kind, body);
  return "<" + s.dump() + ">";
}

// The tables of the document with what stands in them, in the order of the document.
struct ChainText {
  std::string name, header;
  std::vector<std::string> rules;
};
struct TableText {
  std::string family, name;
  bool dormant = false;
  std::vector<std::string> sets;
  std::vector<ChainText> chains;
};

class Listing {
 public:
  void add(const std::string& kind, const Json& body) {
    if (kind == "table") {
      TableText& t = table(text_at(body, "family"), text_at(body, "name"));
      t.dormant = at(body, "flags").dump().find("dormant") != std::string::npos;
      return;
    }
    TableText& t = table(text_at(body, "family"), text_at(body, "table"));
    if (kind == "chain") add_chain(t, body);
    if (kind == "rule") chain(t, text_at(body, "chain")).rules.push_back(rule(body));
    if (kind == "set" || kind == "map") t.sets.push_back(set_block(kind, body));
  }
  std::string text() const {
    std::string out;
    for (const TableText& t : tables_) {
      out += fmt::format("table {} {} {{\n", t.family, t.name);
      if (t.dormant) out += "\tflags dormant\n";
      for (const std::string& s : t.sets) out += s;
      for (const ChainText& c : t.chains) {
        out += fmt::format("\tchain {} {{\n{}", c.name, c.header);
        for (const std::string& r : c.rules) out += "\t\t" + r + "\n";
        out += "\t}\n";
      }
      out += "}\n";
    }
    return out;
  }

 private:
  TableText& table(const std::string& family, const std::string& name) {
    const auto [found, is_new] = table_index_.emplace(std::pair{family, name}, tables_.size());
    if (is_new) tables_.push_back({family, name, false, {}, {}});
    return tables_[found->second];
  }
  ChainText& chain(TableText& t, const std::string& name) {
    const auto key = fmt::format("{} {} {}", t.family, t.name, name);
    const auto [found, is_new] = chain_index_.emplace(key, t.chains.size());
    if (is_new) t.chains.push_back({name, {}, {}});
    return t.chains[found->second];
  }
  void add_chain(TableText& t, const Json& body) {
    ChainText& c = chain(t, text_at(body, "name"));
    if (!body.contains("hook")) return;
    const Json& device = at(body, "dev");
    std::string devices;
    if (device.is_string()) devices = " device " + quoted(device.get<std::string>());
    if (device.is_array()) devices = " devices = { " + joined(device, ", ") + " }";
    c.header = fmt::format("\t\ttype {} hook {}{} priority {}; policy {};\n", text_at(body, "type"), text_at(body, "hook"),
                           devices, text_at(body, "prio"), body.contains("policy") ? text_at(body, "policy") : "accept");
  }
  static std::string rule(const Json& body) {
    std::string out;
    const Json& statements = at(body, "expr");
    if (statements.is_array()) {
      for (const Json& s : statements) {
        if (!out.empty()) out += ' ';
        out += statement(s);
      }
    }
    const std::string comment = text_at(body, "comment");
    if (!comment.empty()) out += (out.empty() ? "comment " : " comment ") + quoted(comment);
    const std::string handle = text_at(body, "handle");
    return handle.empty() ? out : out + " # handle " + handle;
  }
  static std::string types(const Json& j) { return j.is_object() ? std::string("integer") : joined(j, " . "); }
  static std::string set_block(const std::string& kind, const Json& body) {
    std::string out = fmt::format("\t{} {} {{\n\t\ttype {}", kind, text_at(body, "name"), types(at(body, "type")));
    if (kind == "map") out += " : " + types(at(body, "map"));
    out += "\n";
    const Json& f = at(body, "flags");
    if (!f.is_null()) out += "\t\tflags " + joined(f, ",") + "\n";
    const Json& elements = at(body, "elem");
    if (elements.is_array() && !elements.empty()) out += "\t\telements = " + set(elements) + "\n";
    return out + "\t}\n";
  }

  std::vector<TableText> tables_;
  std::map<std::pair<std::string, std::string>, std::size_t> table_index_;
  std::map<std::string, std::size_t> chain_index_;
};

}  // namespace

bool looks_like_json(std::string_view text) {
  text = trim_left(text.substr(0, std::min<std::size_t>(text.size(), 4096)));
  if (text.empty() || text.front() != '{') return false;
  return trim_left(text.substr(1)).substr(0, 10) == "\"nftables\"";
}

std::optional<std::string> reprint_json(std::string_view text) {
  const auto doc = parse(text);
  if (!doc) return std::nullopt;
  std::string out;
  dump(*doc, out);
  return out + "\n";
}

std::optional<std::string> pretty_json(std::string_view text) {
  const auto doc = parse(text);
  if (!doc) return std::nullopt;
  return doc->dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::string> json_to_listing(std::string_view text) {
  const auto doc = parse(text);
  if (!doc) return std::nullopt;
  Listing listing;
  const Json& items = at(*doc, "nftables");
  if (!items.is_array()) return std::nullopt;
  for (const Json& item : items) {
    const std::string kind = kind_of(item);
    if (kind.empty() || kind == "metainfo") continue;
    const Json& body = item.begin().value();
    if (body.is_object()) listing.add(kind, body);
  }
  return listing.text();
}

}  // namespace egt::parsers::nft
