// Kernel settings of a host as the network stack combines them (Documentation/networking/ip-sysctl.rst).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/host/host.h"

namespace egt::engine {

// A setting with the lines that show it. `value` is absent when the dumps do not decide it.
struct Setting {
  std::optional<int> value;
  std::vector<Provenance> evidence;
  std::string key;  // what to ask for when it is absent
};

Setting plain_setting(const host::Host& host, std::string key);
// net.<family>.conf.<device>.<name>
Setting device_setting(const host::Host& host, Family family, std::string_view device, std::string_view name);
// The larger of conf.all and conf.<device>. One of them alone decides when it is `most`.
Setting larger_setting(const host::Host& host, std::string_view device, std::string_view name, int most);
// On when either conf.all or conf.<device> is.
Setting either_setting(const host::Host& host, std::string_view device, std::string_view name);

// Routes by a device without carrier are skipped; off where no dump shows it, as kernels come.
bool ignores_linkdown(const host::Host& host, Family family, std::string_view device);

// Whether conntrack picks up TCP connections in their midst; it does unless set otherwise.
Setting tcp_loose_setting(const host::Host& host);
std::optional<bool> tcp_loose(const host::Host& host);

}  // namespace egt::engine
