// A field of the model that is loaded and that no decision reads may make a walk deliver what a switch drops. Fields are shown
// apart by name alone: one that shares its name with a field that is read goes unnoticed here, but not by
// tools/dev/unread-fields.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "source_text.h"
#include "support/run.h"

namespace {

namespace fs = std::filesystem;

const std::string kProjectRoot = EGTRACE_SOURCE_DIR;

// For printers, to give back what the tool printed.
const std::set<std::string> kSpelling = {
    "Bundle::slaves_spelling", "Bundle::member_type",  "DecTtl::parens",        "PopVlan::strip_spelling",
    "Resubmit::short_form",    "Resubmit::table_name", "GotoTable::table_name", "Nat::address_is_range",
};

// For parsers, which load, compare or compile with them before anything is decided.
const std::set<std::string> kForParsers = {
    "Headers::icmp_seq",
    "Headers::later_fragment",
    "Bridge::groups_source",
    "Chassis::is_remote",
    "Route::nexthop_id",
    "Southbound::port_groups",
    "Southbound::dhcp_options",
    "Southbound::dhcpv6_options",
    "Southbound::northd_version",
    "Southbound::kept_text",
    "Symbol::level",
    "Symbol::writable",
    "Symbol::predicate",
    "Symbol::predicate_tree",
    "Symbol::prerequisite_tree",
    "Symbol::predicate_error",
    "Symbol::prerequisite_error",
    "Field::maskable",
    "Field::writable",
    "SetUpdate::removes",
    "FlowRef::unread",
    "FlowRef::unused",
    "Link::mode",
};

// What the printers of reports alone read: no decision hangs on it.
const std::set<std::string> kForReports = {"ColumnChange::column", "ColumnChange::added", "ColumnChange::removed",
                                           "Collection::links_out"};

// Reported by `inspect -v` as not considered, or part of an action that is
// (libtrace/explain/src/inspect_unconsidered.cpp).
const std::set<std::string> kNotConsidered = {
    "FinTimeout::idle",        "FinTimeout::hard",     "Learn::idle_timeout",   "Learn::hard_timeout", "Learn::fin_idle_timeout",
    "Learn::fin_hard_timeout", "Learn::send_flow_rem", "Learn::delete_learned", "Nat::persistent",
};

// They ought to decide, and nothing asks them yet: cables that the user declares, and the port of endpoints that no
// EndpointSlice shows.
const std::set<std::string> kMissing = {
    "ServicePort::target_port", "DeclaredLink::node_a",   "DeclaredLink::device_a",
    "DeclaredLink::node_b",     "DeclaredLink::device_b",
};

std::set<std::string> excepted() {
  std::set<std::string> all;
  for (const auto* some : {&kSpelling, &kForParsers, &kForReports, &kNotConsidered, &kMissing})
    all.insert(some->begin(), some->end());
  return all;
}

std::map<std::string, std::string> sources_in(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(kProjectRoot + "/" + folder))
    if (entry.is_regular_file() && (entry.path().extension() == ".cpp" || entry.path().extension() == ".h"))
      all[entry.path().string()] = egt::house::code_of(egt::testing::read_file(entry.path().string()));
  return all;
}

std::map<std::string, std::size_t, std::less<>> reads_of_decisions() {
  std::map<std::string, std::size_t, std::less<>> reads;
  for (const char* folder : {"libtrace/engine", "libtrace/explain", "libtrace/assess", "libtrace/model", "parsers/src/presumed"})
    for (const auto& [path, code] : sources_in(folder)) egt::house::count_reads(code, reads);
  return reads;
}

// The model's own functions name their fields without an object.
bool is_named_in_model(const std::map<std::string, std::string>& model, const std::string& name) {
  for (const auto& [path, code] : model)
    for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
      const auto outside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; };
      if ((at == 0 || outside(code[at - 1])) && (at + name.size() >= code.size() || outside(code[at + name.size()]))) return true;
    }
  return false;
}

TEST(Model, EveryFieldIsReadByADecision) {
  const auto reads = reads_of_decisions();
  const auto model = sources_in("libtrace/model/src");
  const std::set<std::string> exceptions = excepted();
  std::set<std::string> fields;
  for (const auto& [path, code] : sources_in("libtrace/model/include"))
    for (const egt::house::Member& m : egt::house::members_of(code)) {
      const std::string& field = *fields.insert(m.owner + "::" + m.name).first;
      if (reads.contains(m.name) || is_named_in_model(model, m.name)) continue;
      EXPECT_TRUE(exceptions.contains(field))
          << path << ":" << m.line << ": " << field << " is read by no decision: let it decide, "
          << "report it as not considered, or delete it";
    }
  EXPECT_GT(fields.size(), 900U);
  for (const std::string& field : exceptions)
    EXPECT_TRUE(fields.contains(field)) << field << " is no field: no exception is needed";
}

TEST(SourceText, FindsMembersAndReads) {
  const std::string code = egt::house::code_of(R"(
struct A : B {            // int commented;
  int a = 1, b{2}, c[3];
  std::map<int, std::pair<int, int>> d;
  std::uint64_t bits : 4 = 0;
  enum class Kind { x, y };
  struct Inner { bool e = false; };
  int f() const { int local; return a; }
  friend bool operator==(const A&, const A&) = default;
};)");
  std::set<std::string> names;
  for (const auto& m : egt::house::members_of(code)) names.insert(m.owner + "::" + m.name);
  EXPECT_EQ(names, (std::set<std::string>{"A::a", "A::b", "A::c", "A::d", "A::bits", "A::Inner::e"}));
  std::map<std::string, std::size_t, std::less<>> reads;
  egt::house::count_reads("x.a = y->b; if (x.c == 1) z.d(); &A::e;", reads);
  EXPECT_EQ(reads, (std::map<std::string, std::size_t, std::less<>>{{"b", 1}, {"c", 1}, {"e", 1}}));
}

}  // namespace
