// Vectors of OVN's own suite, read in place; skipped where the folder is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "egtrace/ovn/normal_form.h"
#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/lexer.h"
#include "ovn_lang/symbols.h"

namespace egt::parsers::ovn_lang {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kShared = fs::path(EGTRACE_SOURCE_DIR) / ".." / "shared";

struct Vector {
  Json json;
  bool old = false;  // of the suite of 23.03
};

std::vector<Vector> vectors(const std::string& kind) {
  std::vector<Vector> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(kShared / "conformance", none)) {
    std::ifstream file(entry.path() / (kind + ".json"));
    if (!file) continue;
    const Json suite = Json::parse(file);
    for (const Json& v : suite["vectors"])
      all.push_back({v, entry.path().filename().string().find("23.03") != std::string::npos});
  }
  return all;
}

Dialect old_dialect() {
  return {.names_ct_zones = false,
          .commits_in_parentheses = true,
          .samples_fields = false,
          .answers_any_family = false,
          .multicast_by_mac = false,
          .lists_reserved_multicast = false,
          .has_blocked_label = true,
          .ingress_tables = 30,
          .egress_tables = 30};
}
Dialect new_dialect(std::uint16_t ingress = 40, std::uint16_t egress = 40) {
  return {.ingress_tables = ingress, .egress_tables = egress};
}

// What test-ovn knows: symbols, sets and ports.
class Fixture {
 public:
  explicit Fixture(bool old, bool extra = true) {
    Dialect dialect = old ? old_dialect() : new_dialect();
    if (extra) {
      symbols_.add_field("bad_prereq", FieldId::xreg0, "xyzzy");
      symbols_.add_field("self_recurse", FieldId::xreg0, "self_recurse != 0");
      symbols_.add_field("mutual_recurse_1", FieldId::xreg0, "mutual_recurse_2 != 0");
      symbols_.add_field("mutual_recurse_2", FieldId::xreg0, "mutual_recurse_1 != 0");
      symbols_.add_string("big_string", FieldId::xreg0);
    }
    add_symbols(symbols_, dialect);
    symbols_.finish();
    add_set("set1", {"10.0.0.1", "10.0.0.2", "10.0.0.3"});
    add_set("set2", {"::1", "::2", "::3"});
    add_set("set3", {"00:00:00:00:00:01", "00:00:00:00:00:02", "00:00:00:00:00:03"});
    add_set("set4", {});
    groups_["0_pg1"] = make_port_group("0_pg1", {"lsp1", "lsp2", "lsp3"});
    groups_["0_pg_empty"] = make_port_group("0_pg_empty", {});
  }
  Environment environment() const { return {&symbols_, &sets_, &groups_, 0}; }
  const SymbolTable& symbols() const { return symbols_; }

 private:
  void add_set(const std::string& name, const std::vector<std::string>& values) { sets_[name] = make_address_set(name, values); }

  SymbolTable symbols_;
  ValueSets sets_, groups_;
};

const Fixture& fixture(bool old) {
  static const Fixture kOld(true), kNew(false);
  return old ? kOld : kNew;
}

// The expression or error that a vector expects.
std::string expected(const Json& v) {
  return v["expect"].contains("error") ? v["expect"]["error"].get<std::string>() : v["expect"]["expression"].get<std::string>();
}

std::string text_or_error(const Result<ovn::Expression, TextError>& e) { return e ? to_string(*e) : e.error().message; }

TEST(OvnConformance, Tokens) {
  const auto all = vectors("ovn-lex");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const std::string text = v.json["given"]["expression"];
    std::string tokens;
    for (std::size_t at = 0;;) {
      const Token token = next_token(text, at);
      if (token.type == TokenType::end) break;
      tokens += (tokens.empty() ? "" : " ") + to_string(token);
      at = token.end;
    }
    EXPECT_EQ(tokens, v.json["expect"]["tokens"].get<std::string>()) << text;
  }
}

TEST(OvnConformance, Expressions) {
  const auto all = vectors("ovn-expr-parse");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const std::string text = v.json["given"]["expression"];
    EXPECT_EQ(text_or_error(parse_expression(text, fixture(v.old).environment())), expected(v.json)) << text;
  }
}

TEST(OvnConformance, Annotation) {
  const auto all = vectors("ovn-expr-annotate");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const std::string text = v.json["given"]["expression"];
    auto parsed = parse_expression(text, fixture(v.old).environment());
    const std::string annotated = parsed ? text_or_error(annotate(std::move(*parsed))) : parsed.error().message;
    EXPECT_EQ(annotated, expected(v.json)) << text;
  }
}

TEST(OvnConformance, Simplification) {
  const auto all = vectors("ovn-expr-simplify");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const std::string text = v.json["given"]["expression"];
    // Later releases write an inequality's alternatives so that they exclude each other.
    const auto is_later = [&](const Vector& w) { return !w.old && w.json["given"] == v.json["given"]; };
    if (v.old && std::any_of(all.begin(), all.end(), is_later)) continue;
    auto parsed = parse_expression(text, fixture(v.old).environment());
    ASSERT_TRUE(parsed) << text;
    auto annotated = annotate(std::move(*parsed));
    ASSERT_TRUE(annotated) << text;
    EXPECT_EQ(to_string(simplify(*annotated, [](std::string_view port) { return std::optional(port == "eth1"); })),
              expected(v.json))
        << text;
  }
}

std::string described(const ovn::FlowMatch& match) {
  std::string text = match.kind == ovn::FlowMatch::Kind::conjunction ? "conj_id " : "";
  for (const ovn::Comparison* c : match.terms)
    text += c->symbol->name + "=" + (c->symbol->is_string() ? c->text : hex(c->value) + "/" + hex(c->mask)) + " ";
  return text;
}

// Of these tests/ovn.at asks only that they become no more flows than this ("Negative match flow explosion."); the vectors have
// no flows of them.
std::optional<std::size_t> most_flows(const std::string& text) {
  if (text == "ip4.src != {172.168.13.0/24, 172.168.14.0/24, 172.168.15.0/24}") return 30;
  if (text == "ip4.dst != {179.141.79.238/32, 23.87.193.64/32, 240.238.112.253/32}") return 100;
  return std::nullopt;
}

TEST(OvnConformance, Flows) {
  const auto all = vectors("ovn-expr-flows");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const std::string text = v.json["given"]["expression"];
    const auto parsed = parse_expression(text, fixture(v.old).environment());
    ASSERT_TRUE(parsed) << text;
    const auto annotated = annotate(*parsed);
    ASSERT_TRUE(annotated) << text;
    const auto form = ovn::normal_form(ovn::simplify(*annotated));
    ASSERT_TRUE(form) << text;
    const auto matches = ovn::flow_matches(
        *form, [](std::string_view port) { return port == "eth0" || port == "eth1" || port.starts_with("lsp"); });
    if (const auto most = most_flows(text)) {
      EXPECT_LE(matches.size(), *most) << text;
      continue;
    }
    std::string found;
    for (const ovn::FlowMatch& m : matches) found += described(m) + "\n";
    EXPECT_EQ(v.json["expect"]["flows"].size(), matches.size()) << text << "\n" << found << v.json["expect"];
    const auto of_conjunction = [](const ovn::FlowMatch& m) { return m.kind == ovn::FlowMatch::Kind::conjunction; };
    const auto is_conj_id = [](const Json& flow) { return flow.get<std::string>().starts_with("conj_id"); };
    EXPECT_EQ(std::count_if(v.json["expect"]["flows"].begin(), v.json["expect"]["flows"].end(), is_conj_id),
              std::count_if(matches.begin(), matches.end(), of_conjunction))
        << text;
  }
}

TEST(OvnConformance, Symbols) {
  const auto all = vectors("ovn-symbol");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const ovn::Symbol* s = fixture(v.old).symbols().find(v.json["given"]["symbol"].get<std::string>());
    ASSERT_NE(s, nullptr) << v.json;
    const std::string definition = s->parent ? to_string(ovn::FieldRef{s->parent, s->first_in_parent, s->bits}) : s->predicate;
    if (definition.empty()) continue;
    EXPECT_EQ(definition, v.json["expect"]["definition"].get<std::string>()) << s->name;
  }
}

// Actions that are encoded only are not compiled here; what they print and ask for is.
TEST(OvnConformance, Actions) {
  const auto all = vectors("ovn-action");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Vector& v : all) {
    const std::string text = v.json["given"]["action"];
    ActionContext context;
    context.table = 10;
    context.dialect = v.old ? old_dialect() : new_dialect();
    const auto parsed = parse_actions(text, fixture(v.old).symbols(), context);
    const Json& expect = v.json["expect"];
    if (expect.contains("error")) {
      EXPECT_EQ(parsed ? "" : parsed.error().message, expect["error"].get<std::string>()) << text;
      continue;
    }
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    const std::string formats = expect.contains("formats") ? expect["formats"].get<std::string>() : text;
    EXPECT_EQ(to_string(parsed->actions), formats) << text;
    if (!expect.contains("prereqs")) continue;
    EXPECT_EQ(to_string(parsed->prerequisites), expect["prereqs"].get<std::string>()) << text;
  }
}

TEST(OvnConformance, LogicalFlowLines) {
  const auto all = vectors("ovn-lflow-line");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  ValueSets none;
  for (const Vector& v : all) {
    const std::string match = v.json["expect"]["match"], actions = v.json["expect"]["action"];
    // Masked parts ("<cleared>") and sets of a database that is not there say nothing of the grammar.
    if (match.find_first_of("<$@?") == std::string::npos || match.find("<=") != std::string::npos) {
      const auto parsed = parse_expression(match, fixture(v.old).environment());
      EXPECT_TRUE(parsed) << match << ": " << (parsed ? "" : parsed.error().message);
    }
    if (actions.find_first_of("<?$") != std::string::npos) continue;
    ActionContext context;
    context.table = 1;
    context.dialect = v.old ? old_dialect() : new_dialect();
    const auto parsed = parse_actions(actions, fixture(v.old).symbols(), context);
    EXPECT_TRUE(parsed) << actions << ": " << (parsed ? "" : parsed.error().message);
  }
}

}  // namespace
}  // namespace egt::parsers::ovn_lang
