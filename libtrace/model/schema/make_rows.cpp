// make_rows FOLDER SCHEMA…: makes classes with a function for each column from database schemas (RFC 7047, ovsdb(7)), a header for
// each, and tables.h, the tables with their columns. A schema here is the union of what several releases have, one table a line;
// "derived" are columns that readers add.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

using Json = nlohmann::json;

// Logical_Router_Policy → LogicalRouterPolicy, DHCPv6_Options → Dhcpv6Options, sFlow → SFlow.
std::string class_name(std::string_view table) {
  std::string name;
  bool starts = true, after_capital = false;
  for (const char c : table) {
    const bool is_capital = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (c != '_') name += static_cast<char>(starts ? std::toupper(c) : is_capital && after_capital ? std::tolower(c) : c);
    starts = c == '_';
    after_capital = is_capital;
  }
  return name;
}

std::string function_name(const std::string& column) {
  constexpr std::string_view kKeywords[] = {"protected", "private", "public", "default", "register", "export", "mutable"};
  const bool is_keyword = std::find(std::begin(kKeywords), std::end(kKeywords), column) != std::end(kKeywords);
  return is_keyword ? column + '_' : column;
}

struct Reading {
  const char *type, *function;
};

Reading reading_of(const Json& type) {
  if (type.contains("value")) return {"std::map<std::string, std::string>", "map_in"};
  const std::string key = type.is_string() ? type.get<std::string>() : type.at("key").get<std::string>();
  const bool has_several = type.contains("max");
  if (key == "integer")
    return has_several ? Reading{"std::vector<std::int64_t>", "integers_in"}
                       : Reading{"std::optional<std::int64_t>", "integer_in"};
  if (has_several) return {"std::vector<std::string>", "texts_in"};
  return key == "boolean" ? Reading{"std::optional<bool>", "boolean_in"} : Reading{"std::string", "text_in"};
}

void write_column(std::ofstream& out, const std::string& column, const Json& type) {
  const Reading reading = reading_of(type);
  out << "  " << reading.type << ' ' << function_name(column) << "() const { return ovn::" << reading.function << "(printed(\""
      << column << "\")); }\n";
}

void write_table(std::ofstream& out, const std::string& table, const Json& columns, const Json& derived,
                 const std::string& database) {
  const std::string name = class_name(table);
  out << "\nclass " << name << " : public ovn::RowView {\n public:\n";
  out << "  static constexpr std::string_view kTable = \"" << table << "\", kDatabase = \"" << database << "\";\n";
  out << "  using RowView::RowView;\n\n";
  for (const auto& [column, type] : columns.items()) write_column(out, column, type);
  if (derived.contains(table))
    for (const auto& [column, type] : derived.at(table).items()) write_column(out, column, type);
  out << "};\n";
}

struct DatabaseNames {
  std::string_view schema, database, space;
};

DatabaseNames names_of(const Json& schema) {
  constexpr DatabaseNames kAll[] = {
      {"OVN_Northbound", "NB", "nb"}, {"OVN_Southbound", "SB", "sb"}, {"Open_vSwitch", "OVS", "vswitch"}};
  const auto found = std::find_if(std::begin(kAll), std::end(kAll), [&](const auto& n) { return schema.at("name") == n.schema; });
  if (found == std::end(kAll)) throw std::invalid_argument("a schema of no known database");
  return *found;
}

bool write_rows(const Json& schema, const std::filesystem::path& folder) {
  const DatabaseNames names = names_of(schema);
  std::ofstream out(folder / (std::string(names.space) + ".h"));
  out << "// Rows of " << names.schema << ", made by make_rows from its schemas " << schema.at("versions").dump()
      << ".\n#pragma once\n\n#include \"egtrace/ovn/row_view.h\"\n\nnamespace egt::rows::" << names.space << " {\n";
  for (const auto& [table, columns] : schema.at("tables").items())
    write_table(out, table, columns, schema.value("derived", Json::object()), std::string(names.database));
  out << "\n}  // namespace egt::rows::" << names.space << '\n';
  return static_cast<bool>(out.flush());
}

void list_tables(const Json& schema, std::ofstream& out) {
  for (const auto& [table, columns] : schema.at("tables").items()) {
    out << "    {\"" << names_of(schema).database << "\", \"" << table << "\", \"";
    const char* between = "";
    for (const auto& [column, type] : columns.items()) out << std::exchange(between, " ") << column;
    out << "\"},\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: make_rows FOLDER SCHEMA...\n", stderr), 2;
  const std::filesystem::path folder = argv[1];
  std::ofstream tables(folder / "tables.h");
  tables
      << "// The tables of the databases, made by make_rows.\n#pragma once\n\n#include <string_view>\n\nnamespace egt::rows {\n\n"
         "struct TableColumns {\n  std::string_view database, table;\n  std::string_view columns;  // sorted, with blanks "
         "between\n};\n\n"
         "inline constexpr TableColumns kTables[] = {\n";
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i]);
    const Json schema = Json::parse(in);
    if (!write_rows(schema, folder)) return 1;
    list_tables(schema, tables);
  }
  tables << "};\n\n}  // namespace egt::rows\n";
  return tables.flush() ? 0 : 1;
}
