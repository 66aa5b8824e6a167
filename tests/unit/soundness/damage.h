// What may happen to a dump between the tool that printed it and the snapshot.
#pragma once

#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace egt::assess {

struct Damage {
  std::optional<std::string> text;  // of the damaged dump; none: it is gone
  std::string what;
};

class Damager {
 public:
  Damager(const std::vector<std::filesystem::path>& dumps, unsigned seed);

  // Kinds of dumps are picked alike, however many nodes have one.
  const std::filesystem::path& pick();
  Damage damage(const std::filesystem::path& dump);

 private:
  using Lines = std::vector<std::string>;

  std::size_t below(std::size_t count) { return dice_() % count; }
  Damage cut(const std::string& text);
  Damage cut_at_line(Lines lines);
  Damage of_another(const std::filesystem::path& dump, const std::string& text);
  Damage without_lines(Lines lines);
  Damage doubled(Lines lines);
  Damage moved(Lines lines);
  Damage with_other_address(const std::string& text);
  Damage with_other_number(const std::string& text);
  Damage with_other_flag(const std::string& text);

  const std::vector<std::filesystem::path>& dumps_;
  std::vector<std::vector<std::size_t>> kinds_;  // of dumps with one name
  std::mt19937 dice_;
};

}  // namespace egt::assess
