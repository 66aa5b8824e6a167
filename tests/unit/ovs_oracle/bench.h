// The daemon with its bridges and the program with the dumps of them, both ready to be asked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon.h"
#include "generator.h"
#include "support/run.h"

namespace egt::testing {

class Bench {
 public:
  Bench();
  bool good() const { return daemon_.good(); }
  // Puts flows and groups into the daemon; takes those out of `c` that it refuses. Then dumps them.
  void load(Configuration& c);
  // One answer a packet, up to the first that the daemon does not survive or not answer in time ("the daemon …").
  std::vector<std::string> ask_daemon(const Configuration& c, const std::string& bridge,
                                      const std::vector<std::string>& packets);
  std::vector<std::string> ask_program(const Configuration& c, const std::string& bridge,
                                       const std::vector<std::string>& packets);
  std::size_t refused() const { return refused_; }
  std::string snapshot() const { return directory_.path() + "/snap"; }

 private:
  void make_bridges();
  void route_tunnels();
  void add_port(const std::string& bridge, const std::string& name, unsigned number, const Daemon::Words& more);
  void place_macs();
  void forget_macs();
  std::string trace(const Daemon::Words& words);
  void dump_once();
  void dump_tables(const Configuration& c);
  void configure(const Configuration& c);
  template <class Part>
  void add(std::vector<Part>& all, const std::string& bridge, const char* verb);
  template <class Part>
  void add_own(std::vector<Part> own, const char* verb, std::vector<Part>& taken);
  void keep(const std::string& command, const std::string& text) const;

  TemporaryDirectory directory_;
  Daemon daemon_;
  std::size_t refused_ = 0;
  // What is configured now.
  std::vector<PortConfig> ports_;
  std::map<std::string, std::string> fragments_;
  unsigned tlv_map_ = 0;
  bool configured_ = true;  // since the last dump
};

const std::vector<std::string>& bench_bridges();

}  // namespace egt::testing
