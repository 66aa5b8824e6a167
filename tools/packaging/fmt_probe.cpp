// Whether fmt_library.cpp holds what the installed headers declare.
#include <fmt/format.h>

#include <cstdio>

int main(int count, char** words) {
  const auto wide = static_cast<unsigned __int128>(count) << 70;
  return std::fputs(fmt::format("{:>{}} {:.1f} {} {:L} {} {:#x}\n", words[0], count, count / 3.0, 0.1f, count, 'c', wide).c_str(),
                    stdout) < 0;
}
