#include "central.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "egtrace/base/text.h"
#include "support/run.h"

namespace egt::testing {

namespace fs = std::filesystem;

bool has_program(const char* name) { return run({"sh", "-c", fmt::format("command -v {}", name)}).status == 0; }

std::string ovn_schemas() {
  const char* other = std::getenv("EGTRACE_OVN_SCHEMAS");
  return other ? other : "/usr/share/ovn";
}

bool must(const Words& words) {
  const Ran ran = run(words);
  EXPECT_EQ(ran.status, 0) << fmt::format("{}", fmt::join(words, " ")) << "\n" << ran.err;
  return ran.status == 0;
}

bool start_database(const std::string& directory, const std::string& name, const std::string& schema) {
  const std::string file = fmt::format("{}/{}", directory, name);
  return must({"ovsdb-tool", "create", file + ".db", schema}) &&
         must({"ovsdb-server", "--detach", "--no-chdir", "--log-file=/dev/null", fmt::format("--pidfile={}.pid", file),
               fmt::format("--unixctl={}.ctl", file), fmt::format("--remote=punix:{}.sock", file), file + ".db"});
}

void end_daemon(const std::string& directory, const std::string& name) {
  std::error_code none;
  const std::string file = fmt::format("{}/{}.pid", directory, name);
  if (fs::exists(file, none)) run({"kill", std::string(trim(read_file(file)))});
}

Central::Central(const std::string& directory) : dir_(directory) {
  good_ =
      start_database(dir_, "nb", ovn_schemas() + "/ovn-nb.ovsschema") &&
      start_database(dir_, "sb", ovn_schemas() + "/ovn-sb.ovsschema") &&
      must({"ovn-northd", "--detach", "--no-chdir", "--pidfile=" + dir_ + "/northd.pid", "--log-file=/dev/null",
            "--unixctl=" + dir_ + "/northd.ctl", "--ovnnb-db=unix:" + dir_ + "/nb.sock", "--ovnsb-db=unix:" + dir_ + "/sb.sock"});
}

Central::~Central() {
  for (const char* name : {"northd", "sb", "nb"}) end_daemon(dir_, name);
}

bool Central::control(const std::string& database, Words words) {
  words.insert(words.begin(),
               {fmt::format("ovn-{}ctl", database), "--no-leader-only", fmt::format("--db=unix:{}/{}.sock", dir_, database)});
  return run(words).status == 0;
}

std::string Central::trace(Words call) {
  call.insert(call.begin(), {"ovn-trace", "--no-leader-only", fmt::format("--db=unix:{}/sb.sock", dir_)});
  return run(call).out;
}

}  // namespace egt::testing
