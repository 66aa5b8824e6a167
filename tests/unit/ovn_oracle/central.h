// The databases of OVN and ovn-northd, for one test.
#pragma once

#include <string>
#include <vector>

namespace egt::testing {

using Words = std::vector<std::string>;

bool has_program(const char* name);
// Where OVN's .ovsschema files are: those of another OVN that PATH begins with are named by EGTRACE_OVN_SCHEMAS.
std::string ovn_schemas();
// A database server in the directory: NAME.db of the schema, NAME.sock, NAME.pid and NAME.ctl. Fails the test where it does not start.
bool start_database(const std::string& directory, const std::string& name, const std::string& schema);
// Ends the daemon of the file DIRECTORY/NAME.pid.
void end_daemon(const std::string& directory, const std::string& name);
// Fails the test where the command does.
bool must(const Words& words);

// Two database servers and northd in a directory of their own; ends them by their pid files.
class Central {
 public:
  explicit Central(const std::string& directory);
  ~Central();
  Central(const Central&) = delete;
  Central& operator=(const Central&) = delete;

  // Arguments of ovn-nbctl ("nb") or ovn-sbctl ("sb"); whether it takes them.
  bool control(const std::string& database, Words words);
  std::string trace(Words call);  // arguments of ovn-trace
  bool good() const { return good_; }

 private:
  std::string dir_;
  bool good_ = true;
};

}  // namespace egt::testing
