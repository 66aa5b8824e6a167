// make_layouts LAYOUTS SOURCE: makes the table of pipeline layouts (src/decode/layouts.h) out of layouts.txt, which says what is in it.
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

constexpr std::array<const char*, 6> kKeys = {"releases", "ls_in", "ls_out", "lr_in", "lr_out", "physical"};
using Layout = std::array<std::string, kKeys.size()>;  // what is behind each key

// Comments and blank lines are skipped.
bool next_line(std::ifstream& in, std::string& line) {
  while (std::getline(in, line))
    if (!line.empty() && line.front() != '#') return true;
  return false;
}

void write_layout(std::ofstream& out, const Layout& layout) {
  std::string ingress, egress, others;
  std::istringstream tables(layout.back());
  for (std::string table; tables >> table;) {
    const std::size_t equals = table.find('=');
    const std::string name = table.substr(0, equals), number = table.substr(equals + 1);
    if (name == "LOG_INGRESS_PIPELINE")
      ingress = number;
    else if (name == "LOG_EGRESS_PIPELINE")
      egress = number;
    else
      others += (others.empty() ? "" : " ") + table;
  }
  out << "    {\"" << layout.front() << "\", " << ingress << ", " << egress;
  for (std::size_t i = 1; i + 1 < layout.size(); ++i) out << ",\n     \"" << layout[i] << '"';
  out << ",\n     \"" << others << "\"},\n";
}

// False where a line is not of the key that is due.
bool write_layouts(std::ifstream& in, std::ofstream& out) {
  for (std::string line; next_line(in, line);) {
    Layout layout;
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (i > 0 && !next_line(in, line)) line.clear();
      const std::string key = kKeys[i] + std::string(" ");
      if (!line.starts_with(key)) return std::fprintf(stderr, "make_layouts: no %s in \"%s\"\n", kKeys[i], line.c_str()), false;
      layout[i] = line.substr(key.size());
    }
    write_layout(out, layout);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: make_layouts LAYOUTS SOURCE\n", stderr), 2;
  std::ifstream in(argv[1]);
  std::ofstream out(argv[2]);
  out << "// Made by make_layouts.\n#include \"decode/layouts.h\"\n\nnamespace egt::explain {\nnamespace {\n\n"
         "constexpr PipelineLayout kLayouts[] = {\n";
  if (!write_layouts(in, out)) return 1;
  out << "};\n\n}  // namespace\n\nstd::span<const PipelineLayout> pipeline_layouts() { return kLayouts; }\n\n"
         "}  // namespace egt::explain\n";
  return in.eof() && out.flush() ? 0 : 1;
}
