#include "daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run.h"

namespace egt::testing {
namespace {

constexpr const char* kSchema = "/usr/share/openvswitch/vswitch.ovsschema";
constexpr int kPatience = 2000;  // steps of 10 ms
constexpr timeval kAnswerTime{8, 0};

void pause_a_little() { ::usleep(10000); }

int connected_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

[[noreturn]] void become_daemon(const std::vector<std::string>& words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

std::string request(const std::string& method, const std::vector<std::string>& arguments) {
  return nlohmann::json{{"id", 0}, {"method", method}, {"params", arguments}}.dump();
}

// Finds the ends of JSON objects one behind another: there braces balance outside strings.
class ObjectEnd {
 public:
  // Behind the object that ends next; npos: all of `text` lies before.
  std::size_t find(std::string_view text) {
    for (; at_ < text.size(); ++at_) {
      const char c = text[at_];
      if (in_string_) {
        if (escaped_)
          escaped_ = false;
        else if (c == '\\')
          escaped_ = true;
        else if (c == '"')
          in_string_ = false;
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{') {
        ++depth_;
      } else if (c == '}' && --depth_ == 0) {
        return ++at_;
      }
    }
    return text.npos;
  }

 private:
  std::size_t at_ = 0;
  bool in_string_ = false, escaped_ = false;
  int depth_ = 0;
};

}  // namespace

UnixCtl::~UnixCtl() {
  if (socket_ >= 0) ::close(socket_);
}

bool UnixCtl::connect_to(const std::string& path) {
  socket_ = connected_socket(path);
  if (socket_ >= 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kAnswerTime, sizeof kAnswerTime);
  return socket_ >= 0;
}

bool is_lost(const std::string& answer) { return answer.starts_with("the daemon "); }

void UnixCtl::describe(const std::string& method, const std::vector<std::string>& arguments) {
  unsent_ += request(method, arguments);
  ++unread_;
}

std::string UnixCtl::ask(const std::string& method, const std::vector<std::string>& arguments) {
  describe(method, arguments);
  const std::string all = std::exchange(unsent_, "");
  if (::send(socket_, all.data(), all.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(all.size()))
    return "the daemon does not listen";
  std::string replies;
  std::size_t begin = 0;
  ObjectEnd object;
  char buffer[65536];
  for (;;) {
    const std::size_t end = object.find(replies);
    if (end != replies.npos && --unread_ == 0) {
      const auto answer = nlohmann::json::parse(replies.begin() + static_cast<std::ptrdiff_t>(begin), replies.end());
      const auto& shown = answer.at("error").is_null() ? answer.at("result") : answer.at("error");
      return shown.is_string() ? shown.get<std::string>() : shown.dump();
    }
    if (end != replies.npos) {
      begin = end;
      continue;
    }
    const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return "the daemon does not answer";
    if (n <= 0) return "the daemon went away";
    replies.append(buffer, static_cast<std::size_t>(n));
  }
}

bool Daemon::installed() {
  return run({"sh", "-c", "command -v ovs-vswitchd ovsdb-server ovsdb-tool ovs-ofctl ovs-vsctl"}).status == 0 &&
         std::filesystem::exists(kSchema);
}

Daemon::Daemon(std::string directory) : directory_(std::move(directory)) {
  for (const char* name : {"OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR"}) ::setenv(name, directory_.c_str(), 1);
  const std::string database = directory_ + "/conf.db", socket = directory_ + "/db.sock";
  good_ = run({"ovsdb-tool", "create", database, kSchema}).status == 0;
  if (!good_) return;
  start({"ovsdb-server", "--no-chdir", "--log-file=/dev/null", "--unixctl=" + directory_ + "/db.ctl", "--remote=punix:" + socket,
         database});
  good_ = listens(socket);
  if (!good_) return;
  vsctl({"--no-wait", "init", "--", "set", "Open_vSwitch", ".", "ovs_version=" + version()});
  start({"ovs-vswitchd", "--no-chdir", "--log-file=" + switch_log(), "-vfile:emer", "--disable-system", "--enable-dummy",
         "--unixctl=" + directory_ + "/switch.ctl", "unix:" + socket});
  good_ = good_ && connects(directory_ + "/switch.ctl");
}

Daemon::~Daemon() {
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
    ::kill(*child, SIGKILL);
    ::waitpid(*child, nullptr, 0);
  }
}

bool Daemon::has_ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(children_.back()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

std::string Daemon::state() const {
  for (int i = 0; i < 100; ++i, pause_a_little()) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(children_.back()), &info, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    if (info.si_pid == 0) continue;
    // "2026-11-23T15:13:06Z|00001|util|EMER|lib/packets.c:1: assertion …"
    const std::string log = read_file(switch_log());
    const std::size_t message = log.rfind("|EMER|");
    if (message == log.npos) return fmt::format("ended by signal {}", info.si_status);
    return fmt::format("ended by signal {}: {}", info.si_status, log.substr(message + 6, log.find('\n', message) - message - 6));
  }
  return "still at work";
}

pid_t Daemon::start(const Words& words) {
  const pid_t child = ::fork();
  if (child == 0) become_daemon(words);
  if (child > 0) children_.push_back(child);
  return child;
}

// A socket is there before somebody accepts what connects to it.
bool Daemon::listens(const std::string& socket) const {
  for (int i = 0; i < kPatience; ++i, pause_a_little())
    if (UnixCtl().connect_to(socket)) return true;
  return false;
}

bool Daemon::connects(const std::string& path) {
  for (int i = 0; i < kPatience; ++i, pause_a_little())
    if (control_.connect_to(path)) return true;
  return false;
}

Daemon::Words Daemon::with_database(const Words& words) const {
  Words all = {"ovs-vsctl", "--timeout=30", "--db=unix:" + directory_ + "/db.sock"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// It waits for the switch.
void Daemon::vsctl(const Words& words) {
  if (has_ended()) return;
  const Ran ran = run(with_database(words));
  good_ &= ran.status == 0;
  EXPECT_TRUE(ran.status == 0 || has_ended()) << fmt::format("{}", fmt::join(words, " ")) << "\n" << ran.err;
}

std::string Daemon::vsctl_output(const Words& words) { return run(with_database(words)).out; }

// On a busy machine the switch hangs up on who takes long to say hello.
Ran Daemon::run_ofctl(const std::string& protocol, const Words& words, const std::string& input) const {
  Words all = {"ovs-ofctl", "-O", protocol};
  all.insert(all.end(), words.begin(), words.end());
  Ran ran = run(all, input);
  for (int tries = 0; tries < 20 && ran.status != 0 && ran.err.find(" socket (") != ran.err.npos && !has_ended(); ++tries) {
    pause_a_little();
    ran = run(all, input);
  }
  return ran;
}

std::string Daemon::ofctl(const std::string& protocol, const Words& words, const std::string& input) {
  const Ran ran = run_ofctl(protocol, words, input);
  return ran.status == 0 ? "" : ran.err + "failed";
}

std::string Daemon::ofctl_output(const std::string& protocol, const Words& words) {
  const Ran ran = run_ofctl(protocol, words, "");
  EXPECT_TRUE(ran.status == 0 || has_ended()) << fmt::format("{}", fmt::join(words, " ")) << "\n" << ran.err;
  return ran.out;
}

std::string Daemon::version() {
  // "ovs-vswitchd (Open vSwitch) 3.1.0"
  const std::string line = run({"ovs-vswitchd", "--version"}).out;
  const std::string first = line.substr(0, line.find('\n'));
  return first.substr(first.rfind(' ') + 1);
}

}  // namespace egt::testing
