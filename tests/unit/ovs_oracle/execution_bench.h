// A switch whose ports write what they send to capture files, and the model of its dumps: packets are really executed, by
// the datapath with its connection tracking, its MAC tables and what flows learn.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridge_settings.h"
#include "daemon.h"
#include "egtrace/cluster/cluster.h"
#include "generator.h"
#include "support/run.h"
#include "table_loader.h"

namespace egt::testing {

// Of bridges and ports of the bench: number of a port within its bridge.
struct BenchPort {
  const char* bridge;
  const char* name;
  unsigned number;
};
const std::vector<BenchPort>& execution_ports();

// A frame at a port: what leaves there.
struct SentFrame {
  std::string port;
  FlowKey key;
  bool is_cut = false;  // shorter than its IP header says
};

// The same as it left: in hexadecimal.
struct RawFrame {
  std::string port, bytes;
};

class ExecutionBench {
 public:
  ExecutionBench();
  bool good() const { return daemon_.good(); }
  bool answers() { return !is_lost(daemon_.appctl("version", {})); }
  std::string state() const { return daemon_.state(); }
  void load(Configuration& c);
  // Forgets connections, learned flows and MAC addresses.
  void reset(const Configuration& c);
  const cluster::Node& node() const { return *cluster_->nodes.front(); }

  std::string trace(const std::string& bridge, const std::string& flow) {
    return daemon_.appctl("ofproto/trace", {bridge, flow});
  }

  // A frame with these headers, in hexadecimal; none where there is none of them.
  static std::optional<std::string> compose(const std::string& flow);
  static std::optional<std::string> composed_by_switch(const std::string& flow);
  // What Open vSwitch reads from frames, and the words in which ofproto/trace takes that.
  struct Extracted {
    std::string flow;
    FlowKey key;
  };
  std::vector<Extracted> extract(const std::vector<std::string>& frames);
  std::optional<Extracted> extract(const std::string& frame);  // by a trace: without a process
  // The frames that leave when this one comes in by `port`; read() reads them.
  std::vector<RawFrame> send(const std::string& port, const std::string& frame);
  // The frames that left, packet by packet, all read at once: a process for each packet would be the most that a run takes.
  std::vector<std::vector<SentFrame>> read(const std::vector<std::vector<RawFrame>>& packets);

 private:
  void make_bridges();
  void forget();
  void read_dumps();
  void read_dump(const std::string& command, const std::string& text);
  const std::string& shown_once(const std::string& command, const std::string& settings, const Daemon::Words& words);
  void read_rows();
  std::vector<std::string> new_frames(const std::string& port);
  std::string capture_of(const std::string& port) const { return directory_.path() + "/" + port + ".pcap"; }

  TemporaryDirectory directory_;
  Daemon daemon_;
  std::unique_ptr<cluster::Cluster> cluster_;
  std::vector<std::unique_ptr<std::string>> texts_;
  TableLoader loader_{daemon_};
  BridgeSettings settings_{daemon_};
  std::map<std::string, std::size_t> read_;          // bytes of each capture
  std::map<std::string, std::string> rows_, shown_;  // what dumps say: by command, and by command and settings
};

}  // namespace egt::testing
