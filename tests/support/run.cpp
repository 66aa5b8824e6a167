#include "support/run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace egt::testing {
namespace {

namespace fs = std::filesystem;

// Where a child's standard streams lead, and where it runs. (A fork would copy what sanitizers map: much more than the
// test itself.)
class FileActions {
 public:
  FileActions(const TemporaryDirectory& files, const std::string& directory) {
    ::posix_spawn_file_actions_init(&actions_);
    open(STDIN_FILENO, files.path() + "/in", O_RDONLY);
    open(STDOUT_FILENO, files.path() + "/out", O_WRONLY | O_CREAT | O_TRUNC);
    open(STDERR_FILENO, files.path() + "/err", O_WRONLY | O_CREAT | O_TRUNC);
    if (!directory.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  void open(int fd, const std::string& path, int flags) {
    ::posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), flags, 0600);
  }
  posix_spawn_file_actions_t actions_;
};

}  // namespace

Ran run(const std::vector<std::string>& command, const std::string& input, const std::string& directory) {
  const TemporaryDirectory files;
  files.file("in", input);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], FileActions(files, directory).get(), nullptr, argv.data(), environ);
  Ran ran;
  if (failed != 0) return ran.status = 127, ran.err = std::strerror(failed), ran;
  int status = 0;
  ::waitpid(child, &status, 0);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = read_file(files.path() + "/out");
  ran.err = read_file(files.path() + "/err");
  return ran;
}

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool inside = false;
  for (const char c : line) {
    if (quote != 0 ? c == quote : (c == '\'' || c == '"')) {
      quote = quote != 0 ? '\0' : c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\n' || c == '\t')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& text) {
  if (fs::path(path).has_parent_path()) fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (fs::temp_directory_path() / "egtrace-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryDirectory::file(const std::string& name, const std::string& text) const {
  const std::string path = path_ + "/" + name;
  write_file(path, text);
  return path;
}

}  // namespace egt::testing
