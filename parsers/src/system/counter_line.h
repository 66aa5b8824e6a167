// Lines of dumps of counters, whatever prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace egt::parsers::system {

enum class CounterDialect : std::uint8_t { nstat, netstat, proc_net, ethtool, metrics, ip_link };

struct CounterValue {
  std::string name, device;
  std::uint64_t value = 0;
};

struct CounterLine {
  enum class Kind : std::uint8_t { ignored, counters, unknown } kind = Kind::unknown;
  std::vector<CounterValue> counters;  // a line may have several, and one that names nothing of use none
};

// Line after line: what a line means may depend on those before.
class CounterReader {
 public:
  // `device`: of ethtool, which does not print it.
  explicit CounterReader(CounterDialect dialect, std::string device = {}) : dialect_(dialect), device_(std::move(device)) {}
  CounterLine read(std::string_view line);

 private:
  CounterLine nstat(std::string_view line);
  CounterLine netstat(std::string_view line);
  CounterLine number_between(std::string_view text) const;
  CounterLine proc_net(std::string_view line);
  CounterLine ethtool(std::string_view line);
  CounterLine metric(std::string_view line);
  CounterLine ip_link(std::string_view line);

  CounterDialect dialect_;
  std::string device_;
  std::string section_;              // of netstat: "TcpExt"
  std::vector<std::string> titles_;  // of the line before, of /proc/net/netstat and ip -s
};

}  // namespace egt::parsers::system
