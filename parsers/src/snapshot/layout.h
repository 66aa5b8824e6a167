// What the path of a file shows in the layouts of support archives: sos report (4.x and its predecessor), OpenShift's
// must-gather and `oc adm inspect`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt::parsers {

struct DumpLocation {
  std::string command;   // that printed it, where the name is not the command's own; empty: the name shows
  std::string pod;       // in which it was printed, or whose database it is: on the pod's node
  std::string node;      // by the node's name in the file's name
  std::string netns;     // network namespace (a pod's, as a rule) in which it was printed: nothing of the host's
  bool central = false;  // a database of the whole cluster
  bool tail = false;     // only the end of what was printed: the collector's size limit
};
DumpLocation read_place(std::string_view path);

// Whether it lies in later/: the second dump of one command, which shows what was counted in between. Of one moment is what
// lies in the folder above.
bool is_second_dump(std::string_view path);

// The path as if the file lay in its node's own folder, where `egtrace collect` put it into later/ or netns/NAME/ there.
std::string path_in_node(std::string_view path);

// The folder (with '/' behind it) of a sosreport or of a must-gather that a path lies in; empty: in none, or in one
// that is the snapshot's root (`found` shows).
struct Root {
  std::string folder;
  bool found = false;
};
Root sos_root(std::string_view path);
Root must_gather_root(std::string_view path);

}  // namespace egt::parsers
