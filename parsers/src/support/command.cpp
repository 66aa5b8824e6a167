// Words of the command that printed a dump, in its shell form or in a file name
// ("ovs-ofctl_-O_OpenFlow15_dump-groups_br-int").
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kCompressed[] = {".gz", ".xz", ".zst", ".bz2", ".lz4", ".txt", ".out", ".log"};

// A name of a file: no blank, underscores between the words.
bool is_file_form(std::string_view command) {
  return command.find(' ') == std::string_view::npos && command.find('_') != std::string_view::npos;
}

std::string_view without_path_and_suffix(std::string_view name) {
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : kCompressed)
      if (name.ends_with(suffix)) name.remove_suffix(suffix.size()), again = true;
  }
  return name;
}

// '/' and other odd characters of a command became '.' or '_' in a file name.
bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool odd = !std::isalnum(static_cast<unsigned char>(b[i])) && (a[i] == '.' || a[i] == '_');
    if (a[i] != b[i] && !odd) return false;
  }
  return true;
}

// Where `verb` stands as a whole word of a file name; npos when it does not.
std::size_t find_in_file_form(std::string_view name, std::string_view verb, std::size_t from) {
  for (std::size_t i = from; i + verb.size() <= name.size(); ++i) {
    const bool begins = i == 0 || name[i - 1] == '_';
    const bool ends = i + verb.size() == name.size() || name[i + verb.size()] == '_';
    if (begins && ends && same_word(name.substr(i, verb.size()), verb)) return i;
  }
  return std::string_view::npos;
}

std::string unquoted(std::string_view word) {
  if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"') && word.back() == word.front())
    word = word.substr(1, word.size() - 2);
  return std::string(word);
}

// In a name an underscore may belong to the argument ("br_ext"): all behind the verb is taken, less leading options.
std::string argument_of_file_form(std::string_view name, std::string_view verb) {
  const std::size_t at = find_in_file_form(name, verb, 0);
  if (at == std::string_view::npos) return {};
  std::string_view rest = name.substr(at + verb.size());
  while (rest.starts_with("_")) rest.remove_prefix(1);
  while (rest.starts_with("-")) {
    const std::size_t end = rest.find('_');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return std::string(rest);
}

std::string argument_of_words(std::string_view command, std::string_view verb) {
  const std::vector<std::string_view> all = words(command);
  std::size_t i = 0;
  while (i < all.size() && all[i] != verb) ++i;
  std::string last;
  for (++i; i < all.size(); ++i) {
    if (all[i] == "|" || all[i] == ">" || all[i] == ">>" || all[i] == "2>" || all[i] == ";" || all[i] == "&&") break;
    if (!all[i].starts_with("-")) last = unquoted(all[i]);
  }
  return last;
}

}  // namespace

std::string argument_after(const Dump& dump, std::string_view verb) {
  if (!is_file_form(dump.command)) return argument_of_words(dump.command, verb);
  return argument_of_file_form(without_path_and_suffix(dump.command), verb);
}

namespace {

// ip(8): "Commands … may be abbreviated", as it resolves them.
struct Abbreviation {
  std::string_view object;
  std::array<std::string_view, 4> forms;
};
constexpr std::array<Abbreviation, 5> kAbbreviations = {{{"addr", {"a", "ad", "address", ""}},
                                                         {"link", {"l", "li", "lin", ""}},
                                                         {"neigh", {"n", "ne", "neighbour", "neighbor"}},
                                                         {"route", {"r", "ro", "rou", ""}},
                                                         {"rule", {"ru", "rul", "", ""}}}};

std::array<std::string_view, 4> abbreviations_of(std::string_view object) {
  for (const Abbreviation& a : kAbbreviations)
    if (a.object == object) return a.forms;
  return {};
}

bool has_words(const std::vector<std::string_view>& all, const std::vector<std::string_view>& wanted) {
  std::size_t i = 0;
  for (const std::string_view word : wanted) {
    const auto forms = wanted.front() == "ip" ? abbreviations_of(word) : std::array<std::string_view, 4>{};
    const auto fits = [&](std::string_view w) { return w == word || std::find(forms.begin(), forms.end(), w) != forms.end(); };
    while (i < all.size() && !fits(all[i])) ++i;
    if (i++ == all.size()) return false;
  }
  return true;
}

bool has_words_in_file_form(std::string_view name, const std::vector<std::string_view>& wanted) {
  std::size_t from = 0;
  for (const std::string_view word : wanted) {
    std::size_t at = find_in_file_form(name, word, from), size = word.size();
    if (at == std::string_view::npos && wanted.front() == "ip")
      for (const std::string_view form : abbreviations_of(word))
        if (!form.empty() && at == std::string_view::npos) at = find_in_file_form(name, form, from), size = form.size();
    if (at == std::string_view::npos) return false;
    from = at + size;
  }
  return true;
}

}  // namespace

bool command_has(const Dump& dump, std::string_view wanted) {
  if (is_file_form(dump.command)) return has_words_in_file_form(without_path_and_suffix(dump.command), words(wanted));
  return has_words(words(dump.command), words(wanted));
}

}  // namespace egt::parsers
