#include "support/background.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace egt::testing {

BackgroundProgram::BackgroundProgram(std::vector<std::string> words, const std::string& directory) {
  int ends[2];
  if (::pipe(ends) != 0) return;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) first_line_ += c;
  ::close(ends[0]);
}

BackgroundProgram::~BackgroundProgram() {
  if (process_ > 0) end(SIGKILL);
}

int BackgroundProgram::end(int signal) {
  int status = 0;
  ::kill(process_, signal);
  ::waitpid(std::exchange(process_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace egt::testing
