// A line of `sysctl` (sysctl(8)): "net.ipv4.ip_forward = 1", and of `grep . /proc/sys/…`: "/proc/sys/net/ipv4/ip_forward:1".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt::parsers::system {

struct SysctlLine {
  enum class Kind : std::uint8_t {
    blank,
    setting,
    aside,  // comments, "* Applying /etc/sysctl.conf ..." and what the tool prints of settings that it cannot read
    unknown,
  };
  Kind kind = Kind::unknown;
  std::string_view key;        // as written
  std::string_view separator;  // " = ", "=", ":"
  std::string_view value;      // tabs between several numbers stay
};

SysctlLine parse_sysctl_line(std::string_view text);
void print_sysctl_line(const SysctlLine& line, std::string& out);  // a setting; nothing for other lines

// In the words of sysctl: "net.ipv4.conf.eth0/100.forwarding", however it was written. A '/' stands for the dot in
// the name of a device.
std::string sysctl_name(std::string_view key);
// Whether the name begins as the kernel's do.
bool is_kernel_setting(std::string_view name);

}  // namespace egt::parsers::system
