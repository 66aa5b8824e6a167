// How often the switch executed each action and matched each field, as its traces show.
#pragma once

#include <map>
#include <string>

#include "generator.h"

namespace egt::testing {

class Coverage {
 public:
  // A trace of the daemon by tables of `c`, whose flows it shows by their cookies.
  void add(const std::string& trace, const Configuration& c);
  // What was executed, most often first; and what was executed fewer than `least` times, never included.
  std::string report(unsigned least) const;

 private:
  void action(std::string_view text);
  void match(const GeneratedMatch& match);

  std::map<std::string, unsigned> actions_, fields_;
};

}  // namespace egt::testing
