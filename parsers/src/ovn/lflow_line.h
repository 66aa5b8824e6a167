// Lines of `ovn-sbctl [--uuid] lflow-list` (print_lflow() in utilities/ovn-sbctl.c). Everything is a view into the dump:
// a cluster has hundreds of thousands of these lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace egt::parsers::ovn_text {

// `Datapath: "NAME"[ aka "NAME2"] (UUID)  Pipeline: ingress`
struct DatapathLine {
  std::string_view name, name2;  // empty when absent
  std::string_view uuid;
  bool ingress = true;
};

// `  [uuid=0x…, ]table=N (STAGE), priority=P, match=(…), action=(…)`
struct FlowLine {
  std::string_view uuid;              // digits behind "uuid=0x"; 8, or all of them in edited dumps
  std::optional<std::uint8_t> table;  // absent: "??", as the project's own tests mask it
  std::string_view stage;
  std::uint16_t priority = 0;
  std::string_view match, actions;
};

struct LflowLine {
  enum class Kind : std::uint8_t {
    datapath,
    flow,
    blank,
    aside,  // OpenFlow flows below a logical one (--ovs), sections of --vflows
    unknown,
  };
  Kind kind = Kind::unknown;
  DatapathLine datapath;
  FlowLine flow;
  const char* problem = nullptr;  // of an unknown line
  std::uint32_t column = 1;       // where it is
};
LflowLine parse_lflow_line(std::string_view text);
// The line as ovn-sbctl prints it, without its end; only for datapath and flow lines.
void print_lflow_line(const LflowLine& line, std::string& out);

}  // namespace egt::parsers::ovn_text
