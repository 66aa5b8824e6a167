// Random text from a grammar that is a file: what the manual of a tool lets one write.
//
// A rule is a line `name:` and its alternatives below it, one a line, indented; "3*" in front makes one three times as likely.
// In an alternative `<name>` stands for a phrase of that rule, `<1..9>` for a number, and `<x=name>` or `<x=1..9>` for one that
// `<x>` repeats further on. A line `given x y` names what phrase() is given. Lines that begin with # are comments.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace egt::testing {

class PhraseGrammar {
 public:
  using Bound = std::map<std::string, std::string, std::less<>>;

  // Throws std::runtime_error where the text names a rule that it does not have.
  PhraseGrammar(std::string_view text, unsigned seed);

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  // A phrase of the rule, with values for names that it may repeat.
  std::string phrase(std::string_view rule, Bound bound = {});

 private:
  struct Alternative {
    unsigned weight = 1;
    std::string text;
  };

  void check() const;
  const std::string& choose(const std::vector<Alternative>& all);
  std::string expand(std::string_view text, Bound& bound, unsigned depth);
  std::string value(std::string_view name, Bound& bound, unsigned depth);

  std::map<std::string, std::vector<Alternative>, std::less<>> rules_;
  std::set<std::string> given_;
  std::mt19937 random_;
};

}  // namespace egt::testing
