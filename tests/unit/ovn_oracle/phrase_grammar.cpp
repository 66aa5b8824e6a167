#include "phrase_grammar.h"

#include <charconv>
#include <optional>
#include <stdexcept>

#include "egtrace/base/text.h"

namespace egt::testing {
namespace {

// Phrases that hold themselves end here: the first alternative is the shortest.
constexpr unsigned kDeep = 6;

struct Range {
  unsigned first = 0, last = 0;
};

std::optional<unsigned> number_of(std::string_view text) {
  unsigned n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(n) : std::nullopt;
}

std::optional<Range> range_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto first = number_of(text.substr(0, dots)), last = number_of(text.substr(dots + 2));
  return first && last ? std::optional(Range{*first, *last}) : std::nullopt;
}

struct Placeholder {
  std::size_t begin = std::string_view::npos, end = 0;  // with its brackets
  std::string_view bind, name;
};

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.=") == std::string_view::npos;
}

// The next one behind `from`; comparisons of expressions are none.
Placeholder next_placeholder(std::string_view text, std::size_t from) {
  for (std::size_t open = text.find('<', from); open != std::string_view::npos; open = text.find('<', open + 1)) {
    const std::size_t close = text.find('>', open);
    if (close == std::string_view::npos) break;
    std::string_view inside = text.substr(open + 1, close - open - 1);
    if (!is_name(inside) || inside.front() == '=') continue;
    Placeholder found{open, close + 1, {}, inside};
    if (const std::size_t equals = inside.find('='); equals != std::string_view::npos)
      found.bind = inside.substr(0, equals), found.name = inside.substr(equals + 1);
    return found;
  }
  return {};
}

}  // namespace

PhraseGrammar::PhraseGrammar(std::string_view text, unsigned seed) : random_(seed) {
  std::vector<Alternative>* rule = nullptr;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty() || words.front() == '#') continue;
    if (words.starts_with("given ")) {
      for (const std::string_view name : egt::words(words.substr(6))) given_.emplace(name);
      continue;
    }
    if (line.front() != ' ') {
      rule = &rules_[std::string(words.substr(0, words.size() - 1))];
      continue;
    }
    if (rule == nullptr) throw std::runtime_error("an alternative before any rule");
    const std::size_t star = words.find("* ");
    const auto weight = star == std::string_view::npos ? std::nullopt : number_of(words.substr(0, star));
    rule->push_back({weight.value_or(1), std::string(weight ? words.substr(star + 2) : words)});
    if (rule->back().text == "''") rule->back().text.clear();
  }
  check();
}

void PhraseGrammar::check() const {
  std::set<std::string_view> bound(given_.begin(), given_.end());
  for (const auto& [name, alternatives] : rules_)
    for (const Alternative& a : alternatives)
      for (Placeholder p = next_placeholder(a.text, 0); p.end != 0; p = next_placeholder(a.text, p.end))
        if (!p.bind.empty()) bound.insert(p.bind);
  for (const auto& [name, alternatives] : rules_)
    for (const Alternative& a : alternatives)
      for (Placeholder p = next_placeholder(a.text, 0); p.end != 0; p = next_placeholder(a.text, p.end))
        if (!range_of(p.name) && !rules_.contains(p.name) && !bound.contains(p.name))
          throw std::runtime_error(name + " names <" + std::string(p.name) + ">, which is no rule");
}

const std::string& PhraseGrammar::choose(const std::vector<Alternative>& all) {
  unsigned total = 0;
  for (const Alternative& a : all) total += a.weight;
  unsigned left = below(total);
  for (const Alternative& a : all) {
    if (left < a.weight) return a.text;
    left -= a.weight;
  }
  return all.back().text;
}

std::string PhraseGrammar::value(std::string_view name, Bound& bound, unsigned depth) {
  if (const auto known = bound.find(name); known != bound.end()) return known->second;
  if (const auto range = range_of(name)) return std::to_string(range->first + below(range->last - range->first + 1));
  const auto rule = rules_.find(name);
  if (rule == rules_.end()) throw std::runtime_error("<" + std::string(name) + "> has no value here");
  const std::vector<Alternative>& all = rule->second;
  return expand(depth > kDeep ? all.front().text : choose(all), bound, depth + 1);
}

std::string PhraseGrammar::expand(std::string_view text, Bound& bound, unsigned depth) {
  std::string out;
  std::size_t at = 0;
  for (Placeholder p = next_placeholder(text, 0); p.end != 0; p = next_placeholder(text, p.end)) {
    out += text.substr(at, p.begin - at);
    const std::string put = value(p.name, bound, depth);
    if (!p.bind.empty()) bound.insert_or_assign(std::string(p.bind), put);
    out += put;
    at = p.end;
  }
  return out += text.substr(at);
}

std::string PhraseGrammar::phrase(std::string_view rule, Bound bound) { return value(rule, bound, 0); }

}  // namespace egt::testing
