#include "support/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace egt::testing {

Terminal::Terminal(const std::vector<std::string>& command, const std::string& directory,
                   const std::vector<std::string>& variables) {
  std::vector<std::string> words = command, settings = variables;
  winsize size{};
  size.ws_row = 40;
  size.ws_col = 160;
  child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (child_ < 0) throw std::runtime_error("no terminal");
  if (child_ > 0) return;
  for (std::string& setting : settings) ::putenv(setting.data());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (::chdir(directory.c_str()) == 0) ::execvp(argv[0], argv.data());
  ::_exit(127);
}

Terminal::~Terminal() {
  ::kill(child_, SIGHUP);
  ::close(terminal_);
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void Terminal::type(const std::string& keys) const {
  if (::write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("the terminal takes nothing");
}

bool Terminal::wait_for(const std::string& text) {
  constexpr int kPatience = 30000;  // ms
  std::size_t at = 0;
  while ((at = shown_.find(text, looked_at_)) == std::string::npos) {
    pollfd waiting{terminal_, POLLIN, 0};
    std::array<char, 4096> some{};
    if (::poll(&waiting, 1, kPatience) <= 0) return false;
    const ssize_t n = ::read(terminal_, some.data(), some.size());
    if (n <= 0) return false;
    shown_.append(some.data(), static_cast<std::size_t>(n));
  }
  looked_at_ = at + text.size();
  return true;
}

}  // namespace egt::testing
