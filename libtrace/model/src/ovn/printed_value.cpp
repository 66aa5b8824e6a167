#include "egtrace/ovn/printed_value.h"

#include <charconv>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/base/utf8.h"

namespace egt::ovn {
namespace {

constexpr std::string_view kEndOfWord = ",=]} ";

char control_of(char escape) {
  switch (escape) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return escape;
  }
}

// Behind the backslash. The tools print other characters than controls as they are, so halves of pairs need no care.
void take_escape(std::string_view& rest, std::string& out) {
  if (rest.empty()) return;
  const char kind = rest.front();
  rest.remove_prefix(1);
  const auto code = kind == 'u' && rest.size() >= 4 ? parse_hex(rest.substr(0, 4)) : std::nullopt;
  if (!code) return out.push_back(control_of(kind));
  append_utf8(static_cast<std::uint32_t>(*code), out);
  rest.remove_prefix(4);
}

std::string take_quoted(std::string_view& rest) {
  std::string out;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') break;
    if (c == '\\')
      take_escape(rest, out);
    else
      out.push_back(c);
  }
  return out;
}

// A quoted or bare word; nothing where there is none.
std::optional<std::string> take_atom(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (consume(rest, "\"")) return take_quoted(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(kEndOfWord));
  if (word.empty()) return std::nullopt;
  rest.remove_prefix(word.size());
  return std::string(word);
}

bool take_mark(std::string_view& rest, std::string_view marks) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.empty() || marks.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

bool is_compound(std::string_view printed) { return !printed.empty() && (printed.front() == '[' || printed.front() == '{'); }

// The elements of a set, the keys and values of a map, as long as `use` takes more; of a single value that alone.
template <class Use>
void each_element(std::string_view printed, const Use& use) {
  printed = trim(printed);
  if (!is_compound(printed)) {
    if (!printed.empty()) use(printed.front() == '"' ? text_in(printed) : std::string(printed), std::string());
    return;
  }
  printed.remove_prefix(1);
  do {
    std::optional<std::string> key = take_atom(printed);
    if (!key) return;
    std::optional<std::string> value = take_mark(printed, "=:") ? take_atom(printed) : std::nullopt;
    if (!use(std::move(*key), std::move(value).value_or(std::string()))) return;
  } while (take_mark(printed, ","));
}

}  // namespace

std::string text_in(std::string_view printed) {
  printed = trim(printed);
  if (consume(printed, "\"")) return take_quoted(printed);
  if (!is_compound(printed)) return std::string(printed);
  printed.remove_prefix(1);
  return take_atom(printed).value_or(std::string());
}

std::vector<std::string> texts_in(std::string_view printed) {
  std::vector<std::string> all;
  each_element(printed, [&](std::string key, const std::string&) {
    all.push_back(std::move(key));
    return true;
  });
  return all;
}

std::map<std::string, std::string> map_in(std::string_view printed) {
  std::map<std::string, std::string> all;
  if (is_compound(trim(printed)))
    each_element(printed, [&](std::string key, std::string value) {
      all.emplace(std::move(key), std::move(value));
      return true;
    });
  return all;
}

std::string value_in(std::string_view printed, std::string_view key) {
  std::string found;
  if (is_compound(trim(printed)))
    each_element(printed, [&](const std::string& known, std::string value) {
      if (known == key) found = std::move(value);
      return known != key;
    });
  return found;
}

std::optional<std::int64_t> integer_in(std::string_view printed) {
  const std::string text = text_in(printed);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::vector<std::int64_t> integers_in(std::string_view printed) {
  std::vector<std::int64_t> all;
  for (const std::string& text : texts_in(printed))
    if (const auto number = integer_in(text)) all.push_back(*number);
  return all;
}

std::optional<bool> boolean_in(std::string_view printed) {
  const std::string text = text_in(printed);
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}

}  // namespace egt::ovn
