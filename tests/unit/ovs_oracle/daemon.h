// Open vSwitch itself, in a directory of its own: a database server and a switch with dummy devices. Both end with the
// object, and with the test should that die.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/run.h"

namespace egt::testing {

// A connection to a unixctl socket (`ovs-appctl` without a process a question).
class UnixCtl {
 public:
  UnixCtl() = default;
  UnixCtl(const UnixCtl&) = delete;
  UnixCtl& operator=(const UnixCtl&) = delete;
  ~UnixCtl();
  bool connect_to(const std::string& path);
  // What the daemon prints; its error message where it refuses; what happened where it is lost (is_lost()).
  std::string ask(const std::string& method, const std::vector<std::string>& arguments);
  // Goes with the next question, for nobody to read the answer.
  void describe(const std::string& method, const std::vector<std::string>& arguments);

 private:
  std::string unsent_;
  unsigned unread_ = 0;  // answers to what was shown
  int socket_ = -1;
};

// Whether an answer is what ask() says where the daemon gives none.
bool is_lost(const std::string& answer);

class Daemon {
 public:
  using Words = std::vector<std::string>;
  static bool installed();
  static std::string version();

  explicit Daemon(std::string directory);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  bool good() const { return good_; }
  void vsctl(const Words& words);
  // ovs-ofctl -O `protocol` ARGUMENTS: standard error where it fails.
  std::string ofctl(const std::string& protocol, const Words& words, const std::string& input = "");
  std::string ofctl_output(const std::string& protocol, const Words& words);
  std::string vsctl_output(const Words& words);
  std::string appctl(const std::string& method, const Words& arguments) { return control_.ask(method, arguments); }
  void describe(const std::string& method, const Words& arguments) { control_.describe(method, arguments); }
  // Of a switch that is lost: the signal that ended it, or that it still runs.
  std::string state() const;
  bool has_ended() const;

 private:
  pid_t start(const Words& words);
  std::string switch_log() const { return directory_ + "/switch.log"; }  // of what ends it
  bool listens(const std::string& socket) const;
  bool connects(const std::string& path);
  Words with_database(const Words& words) const;
  Ran run_ofctl(const std::string& protocol, const Words& words, const std::string& input) const;

  std::string directory_;
  std::vector<pid_t> children_;
  UnixCtl control_;
  bool good_ = true;
};

}  // namespace egt::testing
