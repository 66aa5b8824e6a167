// The daemon with its bridges and the program with the dumps of them, both ready to be asked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bridge_settings.h"
#include "daemon.h"
#include "generator.h"
#include "support/run.h"
#include "table_loader.h"

namespace egt::testing {

class Bench {
 public:
  Bench();
  bool good() const { return daemon_.good(); }
  std::string state() const { return daemon_.state(); }
  // Puts flows and groups into the daemon; takes those out of `c` that it refuses. Then dumps them.
  void load(Configuration& c);
  // One answer a packet, up to the first that the daemon does not survive or not answer in time ("the daemon …").
  std::vector<std::string> ask_daemon(const Configuration& c, const std::string& bridge, const std::vector<std::string>& packets);
  std::vector<std::string> ask_program(const Configuration& c, const std::string& bridge,
                                       const std::vector<std::string>& packets);
  std::size_t refused() const { return loader_.refused(); }
  std::string snapshot() const { return directory_.path() + "/snap"; }

 private:
  void make_bridges();
  void route_tunnels();
  void add_port(const std::string& bridge, const std::string& name, unsigned number, const Daemon::Words& more);
  void place_macs();
  std::string trace(const Daemon::Words& words);
  void dump_once();
  void dump_rows();
  void dump_settings(const std::string& bridge);
  void dump_tables(const Configuration& c);
  void keep_once(const std::string& command, const std::string& settings, const Daemon::Words& words);
  void keep(const std::string& command, const std::string& text) const;

  TemporaryDirectory directory_;
  Daemon daemon_;
  TableLoader loader_{daemon_};
  BridgeSettings settings_{daemon_};
  std::map<std::string, std::string> shown_;  // what dumps of settings say, by command and settings
};

const std::vector<std::string>& bench_bridges();

}  // namespace egt::testing
