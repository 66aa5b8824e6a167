// A host made of a network namespace of the running kernel: set up by the usual commands, probed with real packets on
// veth pairs whose other ends are in a second, silent namespace, and dumped as a user would dump it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wire.h"

namespace egt::test {

constexpr unsigned kWires = 4;  // v0 … v3 of the host; their other ends are p0 … p3

// How the configuration of one host is shown to the tools.
struct HostSetup {
  std::string links;                          // lines for ip -batch that make devices, run before sysctl
  std::string devices;                        // more of them, run after it
  std::string ip4, ip6;                       // lines for ip -4 -batch and ip -6 -batch
  std::map<std::string, std::string> sysctl;  // key → value
  bool shows_sets = false;                    // ipset save is among the dumps
  std::string ipset;                          // for ipset restore, before iptables
  std::string nft;                            // for nft -f
  std::string iptables, ip6tables;            // for iptables-restore
  bool legacy = false;                        // by iptables-legacy
  bool nft_first = false;                     // nft's chains are registered before those of iptables
};

// What became of one probe, in the order in which it was seen.
struct Observation {
  struct Item {
    std::string device;
    Seen packet;
  };                            // the host's device
  std::vector<Item> sent;       // left by a wire
  std::vector<Item> delivered;  // reached a socket of the host (after all hooks)
};

struct LocalProbe {
  FlowKey packet;  // destination, protocol, ports; source unless it is to be chosen
  bool choose_source = false, connected = false;
  std::string bound_device;
};

class KernelHost {
 public:
  KernelHost();
  ~KernelHost();
  KernelHost(const KernelHost&) = delete;
  KernelHost& operator=(const KernelHost&) = delete;

  // Why there is none: no root, no namespaces, a tool that is missing.
  const std::string& problem() const { return problem_; }
  // False with problem() when a tool refuses its lines.
  bool set_up(const HostSetup& setup);
  // Writes one file for each usual command into the folder.
  void dump(const std::filesystem::path& folder, bool with_sets) const;
  // False where conntrack(8) is missing.
  bool dump_connections(const std::filesystem::path& folder) const;

  // Sends a frame into the wire of that device of the host.
  bool inject(unsigned wire, const Bytes& frame);
  // A process of the host sends. False when the kernel says no at once.
  bool send(const LocalProbe& probe, std::uint32_t number);
  // What there is to be read. Waits up to `milliseconds` where nothing is there yet.
  std::map<std::uint32_t, Observation> collect(int milliseconds);
  struct Frame {
    unsigned wire = 0;
    Bytes bytes;
  };
  // Whatever left the host, in the order of the wires, until none has come for that long.
  std::vector<Frame> frames(int milliseconds);

  static MacAddr mac_of_host(unsigned wire);
  static MacAddr mac_of_neighbour(unsigned wire, unsigned host_part);

 private:
  bool run_in_host(const std::string& command);
  bool feed(const std::string& command, const std::string& input);
  void open_sockets();
  void take_for_local(Seen& seen) const;
  void read_wires(std::map<std::uint32_t, Observation>& out);
  void read_local(std::map<std::uint32_t, Observation>& out);
  int open_inside(int space, int domain, int type, int protocol);

  std::string name_, problem_;
  int own_space_ = -1, host_space_ = -1, outside_space_ = -1;
  struct Wire {
    int socket = -1;
    std::string device;
  };
  std::vector<Wire> wires_;
  struct Local {
    int socket = -1;
    Family family = Family::v4;
    std::uint8_t proto = 0;
  };
  std::vector<Local> local_;
  std::vector<int> listeners_;
  int sender_ = -1;  // until the next probe
  std::map<int, std::string> device_names_;
  std::optional<std::uint32_t> last_local_;  // a TCP SYN of a process has no number of its own
};

}  // namespace egt::test
