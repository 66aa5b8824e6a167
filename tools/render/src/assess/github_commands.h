// Annotations of GitHub Actions: "::error file=NAME,line=N,title=TITLE::MESSAGE". A runner takes every line that begins with "::"
// for a command, so nothing of a dump may begin one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt::render {

struct Annotation {
  std::string_view level;   // error, warning, notice
  std::string file, title;  // empty: none
  std::uint32_t line = 0;   // 0: none
  std::string message;      // of several lines, where it has line ends
};

std::string github_command(const Annotation& annotation);

}  // namespace egt::render
