// OVN's expressions and actions, from arbitrary bytes: what is understood prints back and is understood again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/symbols.h"

namespace {

using namespace egt;
using namespace egt::parsers;

const ovn_lang::SymbolTable& symbols() {
  static const ovn_lang::SymbolTable& table = [&]() -> const ovn_lang::SymbolTable& {
    static ovn_lang::SymbolTable made;
    ovn_lang::add_symbols(made, {});
    made.finish();
    return made;
  }();
  return table;
}

void check_expression(std::string_view text) {
  const ovn_lang::Environment environment{&symbols(), nullptr, nullptr, 0};
  const auto parsed = ovn_lang::parse_expression(text, environment);
  if (!parsed) return;
  const std::string printed = to_string(*parsed);
  const auto again = ovn_lang::parse_expression(printed, environment);
  if (again && to_string(*again) != printed) std::abort();
  (void)ovn_lang::annotate(*parsed);
  if (text.size() < 200) (void)ovn_lang::parse_microflow(text, environment, [](std::string_view) { return 1u; });
}

void check_actions(std::string_view text) {
  const auto parsed = ovn_lang::parse_actions(text, symbols(), {});
  if (!parsed) return;
  const std::string printed = to_string(parsed->actions);
  const auto again = ovn_lang::parse_actions(printed, symbols(), {});
  if (again && to_string(again->actions) != printed) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  // Dumps in the corpus hold one flow a line; a line is an input.
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    check_expression(line);
    check_actions(line);
    for (const std::string_view part : {"match=(", "action=("}) {
      const std::size_t at = line.find(part);
      if (at == std::string_view::npos) continue;
      std::string_view inner = line.substr(at + part.size());
      inner = inner.substr(0, inner.find("), action=("));
      if (inner.ends_with(')')) inner.remove_suffix(1);
      check_expression(inner);
      check_actions(inner);
    }
  }
  return 0;
}
