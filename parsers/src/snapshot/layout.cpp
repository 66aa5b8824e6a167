#include "snapshot/layout.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::parsers {
namespace {

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The part behind `folder/`, up to the next '/'; empty when the path has no such folder.
std::string part_behind(std::string_view path, std::string_view folder) {
  for (std::size_t at = path.find(folder); at != std::string_view::npos; at = path.find(folder, at + 1)) {
    if (at > 0 && path[at - 1] != '/') continue;
    const std::string_view rest = path.substr(at + folder.size());
    const std::size_t end = rest.find('/');
    if (end != std::string_view::npos) return std::string(rest.substr(0, end));
  }
  return {};
}

// gather_network_logs of OpenShift 4.6 to 4.9 names what it prints NODE_SUFFIX or NODE_POD_SUFFIX.
struct GatheredName {
  std::string_view suffix, command;
};
constexpr std::array<GatheredName, 13> kGathered = {{
    {"_ovs_ofctl_dump_flows_br_int", "ovs-ofctl dump-flows br-int"},
    {"_ovs_ofctl_dump_flows_br_ex", "ovs-ofctl dump-flows br-ex"},
    {"_ovs_ofctl_dump_flows_br_local", "ovs-ofctl dump-flows br-local"},
    {"_ovs_ofctl_dump_ports_br_int", "ovs-ofctl dump-ports-desc br-int"},
    {"_ovs_ofctl_dump_ports_br_ex", "ovs-ofctl dump-ports-desc br-ex"},
    {"_ovs_ofctl_dump_ports_br_local", "ovs-ofctl dump-ports-desc br-local"},
    {"_ovs_dump", "ovs-vsctl show"},
    {"_iptables", "iptables-save -c"},
    {"_ip_addr", "ip addr"},
    {"_ip_6_route", "ip -6 route"},
    {"_ip_route", "ip route"},
    {"_ip_-s_-d_link", "ip -s -d link"},
    {"_conf.db", ""},
}};

bool is_ovnkube_pod(std::string_view name) { return name.starts_with("ovnkube-") || name.starts_with("ovs-node-"); }

void read_gathered_name(std::string_view name, DumpLocation& place) {
  for (const GatheredName& known : kGathered) {
    if (!name.ends_with(known.suffix)) continue;
    const std::string_view who = name.substr(0, name.size() - known.suffix.size());
    const std::size_t pod = std::min(who.find("_ovnkube-"), who.find("_ovs-node-"));
    if (is_ovnkube_pod(who))
      place.pod = std::string(who);
    else
      place.node = std::string(who.substr(0, pod));
    place.command = std::string(known.command);
    return;
  }
}

// <pod>_nbdb, <pod>_sbdb.gz, leader_nbdb.gz; network-tools: <pod>/nbdb.db
void read_database_name(std::string_view path, DumpLocation& place) {
  const std::string name = command_of_path(path);
  for (const std::string_view suffix : {"_nbdb", "_sbdb"}) {
    if (!name.ends_with(suffix) || name.size() == suffix.size()) continue;
    const std::string who = name.substr(0, name.size() - suffix.size());
    if (who == "leader" || who.starts_with("ovnkube-master"))
      place.central = true;
    else
      place.pod = who;
    return;
  }
  if (name != "nbdb.db" && name != "sbdb.db") return;
  const std::string_view folder = path.substr(0, path.size() - file_name(path).size());
  place.central = file_name(folder.substr(0, folder.empty() ? 0 : folder.size() - 1)).starts_with("ovnkube-master");
}

// namespaces/NS/ip_netns_exec_NS_…; before sos 4.3 without the folder; other plugins only have the name.
std::string network_namespace(std::string_view path) {
  if (sos_root(path).found) {
    std::string folder = part_behind(path, "networking/namespaces/");
    if (!folder.empty()) return folder;
  }
  std::string_view name = file_name(path);
  if (!consume(name, "ip_netns_exec_")) return {};
  for (const std::string_view tool :
       {"_ip_", "_ip6tables", "_iptables", "_sysctl", "_netstat", "_nstat", "_ss_", "_conntrack", "_nft_"}) {
    const std::size_t at = name.find(tool);
    if (at != std::string_view::npos && at > 0) return std::string(name.substr(0, at));
  }
  return std::string(name);
}

// Path without the folders FOLDER/ or FOLDER/NAME/ in front of the file.
std::string without_folders(std::string_view path, std::size_t folder) {
  return std::string(path.substr(0, folder)) + std::string(file_name(path));
}

// Where the part before the file's name begins; npos: the file lies in no folder.
std::size_t last_folder(std::string_view path) {
  const std::size_t end = path.rfind('/');
  if (end == std::string_view::npos) return end;
  const std::size_t before = end == 0 ? std::string_view::npos : path.rfind('/', end - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

// Where one of the folders stands in the path as a whole part, the first of them; npos: nowhere.
template <std::size_t N>
std::size_t find_folder(std::string_view path, const std::array<std::string_view, N>& folders) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view folder : folders) {
    for (std::size_t at = path.find(folder); at != std::string_view::npos; at = path.find(folder, at + 1)) {
      if (at > 0 && path[at - 1] != '/') continue;
      first = std::min(first, at);
      break;
    }
  }
  return first;
}

}  // namespace

bool is_second_dump(std::string_view path) {
  const std::size_t at = last_folder(path);
  return at != std::string_view::npos && path.substr(at).starts_with("later/");
}

std::string path_in_node(std::string_view path) {
  const std::size_t folder = last_folder(path);
  if (is_second_dump(path)) return without_folders(path, folder);
  const std::size_t around = folder == std::string_view::npos ? folder : last_folder(path.substr(0, folder));
  const bool of_namespace = around != std::string_view::npos && path.substr(around).starts_with("netns/");
  return of_namespace && !network_namespace(path).empty() ? without_folders(path, around) : std::string(path);
}

Root sos_root(std::string_view path) {
  static constexpr std::array<std::string_view, 4> kFolders = {"sos_commands/", "sos_strings/", "sos_reports/", "sos_logs/"};
  const std::size_t at = find_folder(path, kFolders);
  if (at == std::string_view::npos) return {};
  return {std::string(path.substr(0, at)), true};
}

Root must_gather_root(std::string_view path) {
  static constexpr std::array<std::string_view, 4> kFolders = {"cluster-scoped-resources/", "namespaces/", "network_logs/",
                                                               "host_service_logs/"};
  if (sos_root(path).found) return {};
  const std::size_t at = find_folder(path, kFolders);
  if (at == std::string_view::npos) return {};
  return {std::string(path.substr(0, at)), true};
}

DumpLocation read_place(std::string_view path) {
  DumpLocation place;
  place.tail = path.ends_with(".tailed") || path.find("sos_strings/") != std::string_view::npos;
  place.netns = network_namespace(path);
  read_database_name(path, place);
  if (!must_gather_root(path).found) return place;
  if (place.pod.empty()) place.pod = part_behind(path, "pods/");
  const std::string name = command_of_path(path);
  if (place.pod.empty() && !place.central) read_gathered_name(name, place);
  return place;
}

}  // namespace egt::parsers
