#include "nft/listing_lines.h"

#include "egtrace/base/text.h"
#include "nft/block_lines.h"

namespace egt::parsers::nft {

std::optional<Opening> opening_of(std::string_view text) {
  const std::size_t brace = text.find(" {");
  if (brace == std::string_view::npos) return std::nullopt;
  std::string_view rest = trim(text.substr(brace + 2));
  Opening o;
  o.words = words(text.substr(0, brace));
  if (rest.empty()) return o;
  if (!consume(rest, "#")) return std::nullopt;
  const auto notes = words(rest);
  for (std::size_t i = 0; i + 1 < notes.size(); i += 2) {
    if (notes[i] == "handle") o.handle = parse_decimal(notes[i + 1]);
    if (notes[i] == "progname") o.program = notes[i + 1];
  }
  return o;
}

bool begins_item(const Opening& o) {
  return o.words.size() == 2 && (o.words[0] == "chain" || o.words[0] == "set" || o.words[0] == "map");
}

bool ListingLines::next() {
  if (put_back_) {
    put_back_ = false;
    return true;
  }
  if (next_part_ < parts_.size()) {
    line_ = {parts_[next_part_], parts_[next_part_], line_.number};
    ++next_part_;
    return true;
  }
  if (rest_.empty()) return false;
  std::string_view raw = next_line(rest_);
  if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
  line_ = {raw, trim(raw), next_number_++};
  ++found_.lines;
  parts_ = lines_of_blocks(line_.text, in_list_);
  next_part_ = 0;
  return parts_.empty() || next();
}

bool ListingLines::next_in_block(bool& closed) {
  while (next()) {
    if (line_.text.empty()) {
      ignore();
      continue;
    }
    closed = line_.text == "}";
    if (closed) return false;
    if (!starts_block()) return true;
    back();
    return false;
  }
  return false;
}

bool ListingLines::begins_with(std::string_view word) const {
  return line_.text.size() > word.size() && line_.text.substr(0, word.size()) == word && is_blank(line_.text[word.size()]);
}

bool ListingLines::starts_table() const {
  if (line_.raw.substr(0, 6) != "table ") return false;
  const auto o = opening_of(line_.text);
  return o && o->words.size() == 3;
}

// A block that begins where another should have ended: its closing brace is missing.
bool ListingLines::starts_block() const {
  if (starts_table()) return true;
  const auto o = opening_of(line_.text);
  return o && begins_item(*o);
}

void ListingLines::misread(std::uint32_t column, std::string message) {
  const auto indent = static_cast<std::uint32_t>(line_.text.data() - line_.raw.data());
  found_.misread.push_back({line_.number, column + indent, std::move(message)});
}

void ListingLines::truncated(const std::string& what, std::uint32_t line) {
  found_.misread.push_back({line, 0, what + " does not end: the listing is cut"});
}

}  // namespace egt::parsers::nft
