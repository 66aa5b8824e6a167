#include "ovs_ofctl/reprinted_line.h"

#include <stdexcept>

#include "snapshot/compiled.h"
#include "support/lines.h"

namespace egt::parsers::ofctl {

std::string_view reprinted_line(std::string_view text, std::uint64_t offset, const CompiledDump* compiled, std::string& buffer) {
  if (offset >= text.size()) throw std::runtime_error("a line of a dump lies behind the end of its text");
  Dump rest;
  rest.text = text.substr(offset);
  Line whole;
  LineReader(rest).next(whole);
  if (compiled != nullptr) compiled->check(whole.text.data(), whole.text.size());
  return without_colour(whole.text, buffer);
}

}  // namespace egt::parsers::ofctl
