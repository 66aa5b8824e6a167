#include "snapshot/prompt.h"

#include <algorithm>
#include <array>
#include <vector>

#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

constexpr std::array<std::string_view, 35> kTools = {"ovs-ofctl",
                                                     "ovs-vsctl",
                                                     "ovs-appctl",
                                                     "ovs-dpctl",
                                                     "ovn-nbctl",
                                                     "ovn-sbctl",
                                                     "ovn-appctl",
                                                     "ip",
                                                     "iptables",
                                                     "ip6tables",
                                                     "iptables-save",
                                                     "ip6tables-save",
                                                     "iptables-nft",
                                                     "ip6tables-nft",
                                                     "iptables-legacy",
                                                     "ip6tables-legacy",
                                                     "iptables-nft-save",
                                                     "ip6tables-nft-save",
                                                     "iptables-legacy-save",
                                                     "ip6tables-legacy-save",
                                                     "nft",
                                                     "sysctl",
                                                     "conntrack",
                                                     "hostname",
                                                     "hostnamectl",
                                                     "vtysh",
                                                     "bridge",
                                                     "ipset",
                                                     "ethtool",
                                                     "tc",
                                                     "oc",
                                                     "kubectl",
                                                     "ss",
                                                     "netstat",
                                                     "nstat"};

// Words after `ip` and its options that print something.
constexpr std::array<std::string_view, 17> kIpObjects = {"rule",  "ru", "rul",       "route",    "r",    "ro",
                                                         "addr",  "a",  "address",   "link",     "l",    "li",
                                                         "neigh", "n",  "neighbour", "neighbor", "netns"};

// Likewise; `ip -d addr` prints lines that begin with "bridge", too.
constexpr std::array<std::string_view, 5> kBridgeObjects = {"fdb", "vlan", "link", "mdb", "vni"};
constexpr std::array<std::string_view, 5> kTcObjects = {"qdisc", "class", "filter", "chain", "actions"};

template <std::size_t N>
bool one_of(const std::array<std::string_view, N>& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string_view program_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

std::string_view unquote(std::string_view word) {
  while (!word.empty() && (word.front() == '"' || word.front() == '\'')) word.remove_prefix(1);
  while (!word.empty() && (word.back() == '"' || word.back() == '\'')) word.remove_suffix(1);
  return word;
}

// The shell line without what follows a pipe, a redirection or a ';'.
std::string_view first_command(std::string_view line) {
  return trim(line.substr(0, std::min({line.find('|'), line.find('>'), line.find(';'), line.find("&&")})));
}

using Words = std::vector<std::string_view>;

// `ip -n NAME addr` (ip(8)).
bool is_netns_option(std::string_view word) { return word == "-n" || word == "-net" || word == "-netns"; }

bool has_objects(std::string_view tool) { return tool == "ip" || tool == "bridge" || tool == "tc"; }

// Behind the options of those tools, of which these two have values.
std::size_t behind_options(const Words& w, std::size_t at) {
  while (at < w.size() && w[at].starts_with('-')) at += is_netns_option(w[at]) || w[at] == "-f" || w[at] == "-family" ? 2 : 1;
  return std::min(at, w.size());
}

// Whether the words from `at` on are a call that prints something, rather than prose or a call that changes things.
bool is_call(const Words& w, std::size_t at) {
  const std::string_view tool = program_name(unquote(w[at]));
  if (!one_of(kTools, tool)) return false;
  std::size_t next = at + 1;
  if (has_objects(tool)) {
    next = behind_options(w, next);
    if (next == w.size()) return false;
    const std::string_view object = unquote(w[next]);
    return tool == "ip" ? one_of(kIpObjects, object) : tool == "tc" ? one_of(kTcObjects, object) : one_of(kBridgeObjects, object);
  }
  if (tool == "oc" || tool == "kubectl") return next < w.size() && w[next] == "get";
  if (tool.find("tables") != std::string_view::npos && !tool.ends_with("save")) {
    return next < w.size() && w[next].starts_with('-');
  }
  if (tool == "hostname" || tool.ends_with("save")) return true;
  return next < w.size();
}

std::string join_command(const Words& w, std::size_t at) {
  std::string command(program_name(unquote(w[at])));
  for (std::size_t i = at + 1; i < w.size(); ++i) {
    command += ' ';
    command += unquote(w[i]);
  }
  return command;
}

bool is_shell(std::string_view word) {
  static constexpr std::array<std::string_view, 5> kShells = {"bash", "sh", "zsh", "dash", "ash"};
  return one_of(kShells, program_name(word));
}

// Whether the words from `at` on are a shell that a user types into: none, or one without -c and a script.
bool is_typed_into(const Words& w, std::size_t at) {
  return at >= w.size() ||
         (is_shell(w[at]) && std::all_of(w.begin() + static_cast<std::ptrdiff_t>(at) + 1, w.end(), [](std::string_view word) {
            return word.starts_with('-') && word.find('c') == std::string_view::npos;
          }));
}

// `ip netns exec NAME CMD…` runs CMD; everything else is its own call.
std::size_t enter_netns(const Words& w, std::size_t at, Prompt& prompt) {
  if (at + 4 < w.size() && program_name(w[at]) == "ip" && w[at + 1] == "netns" && w[at + 2] == "exec") {
    prompt.netns = std::string(w[at + 3]);
    at += 4;
    prompt.enters = is_typed_into(w, at);
  }
  if (!has_objects(program_name(unquote(w[at])))) return at;
  for (std::size_t i = at + 1; i + 1 < w.size() && w[i].starts_with('-'); ++i)
    if (is_netns_option(w[i])) prompt.netns = std::string(w[i + 1]);
  return at;
}

// nsenter(1): of -t PID --net, --net=/run/netns/NAME, -n/proc/PID/ns/net. Of process 1 it is the host's own.
void read_nsenter(const Words& w, std::size_t at, Prompt& prompt) {
  std::string_view target, file;
  bool net = false;
  std::size_t i = at + 1;
  for (; i < w.size() && w[i].starts_with('-'); ++i) {
    std::string_view word = w[i];
    if (word == "-t" || word == "--target") {
      if (i + 1 < w.size()) target = w[++i];
    } else if (consume(word, "--target=") || (!word.starts_with("--") && consume(word, "-t"))) {
      target = word;
    } else if (consume(word, "--net") || (!word.starts_with("--") && consume(word, "-n"))) {
      net = true;
      consume(word, "=");
      if (word.find('/') != std::string_view::npos) file = word;
    } else if (word == "-a" || word == "--all") {
      net = true;
    } else if (word.starts_with('-') && !word.starts_with("--") && word.find('n') != std::string_view::npos) {
      net = true;  // -mnu
    }
  }
  if (!net || (file.empty() && target.empty())) return;
  if (!file.empty() && consume(file, "/proc/")) target = file.substr(0, file.find('/')), file = {};
  if (file.empty() && target == "1") return;
  prompt.netns = file.empty() ? "of process " + std::string(target) : std::string(program_name(file));
  prompt.enters = is_typed_into(w, i);
}

// The pod of `oc exec [options] POD [options] -- CMD`: the first word that is neither an option nor an option's value.
std::string exec_pod(const Words& w, std::size_t verb, std::size_t end) {
  static constexpr std::array<std::string_view, 5> kWithValue = {"-n", "-c", "--namespace", "--container", "--context"};
  for (std::size_t i = verb + 1; i < end; ++i) {
    if (one_of(kWithValue, w[i])) {
      ++i;
    } else if (!w[i].starts_with('-')) {
      return std::string(program_name(w[i]));
    }
  }
  return {};
}

// Where the command proper begins behind sudo, oc exec, oc debug, chroot, nsenter, ssh, bash -c; w.size() when nowhere.
std::size_t find_call(const Words& w, std::size_t from, Prompt& prompt) {
  for (std::size_t i = from; i < w.size(); ++i) {
    if (i > from && w[i].starts_with("node/")) prompt.host = std::string(w[i].substr(5));
    if (program_name(w[i]) == "nsenter") read_nsenter(w, i, prompt);
    if (is_call(w, i)) return enter_netns(w, i, prompt);
    if (w[i] == "exec" || w[i] == "rsh") prompt.pod = exec_pod(w, i, w.size());
  }
  return w.size();
}

bool is_wrapper(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWrappers = {
      "sudo", "oc", "kubectl", "chroot", "nsenter", "podman", "ssh", "crictl", "docker", "time", "timeout", "bash", "sh"};
  return one_of(kWrappers, program_name(word));
}

// Fills `prompt` from the shell line behind a prompt sign. `certain`: the sign alone proves that it is a prompt.
bool read_command(std::string_view line, bool certain, Prompt& prompt) {
  const Words w = words(first_command(line));
  if (w.empty()) return certain;
  const bool direct = is_call(w, 0);
  if (!direct && !certain && !is_wrapper(w[0])) return false;
  const std::size_t at = find_call(w, 0, prompt);
  if (at < w.size() && !prompt.enters) prompt.command = join_command(w, at);
  prompt.leaves = w.size() == 1 && (w[0] == "exit" || w[0] == "logout");
  return certain || prompt.enters || at < w.size() || !prompt.host.empty();
}

// "[root@worker-1 ~]# ", "root@worker-1:/# ", "core@worker-1 ~ $ ": the host, and the rest behind the sign.
bool take_user_prompt(std::string_view& line, std::string& host) {
  const std::size_t at = line.find('@');
  if (at == std::string_view::npos || at == 0 || at > 40 || line.substr(0, at).find(' ') != std::string_view::npos) {
    return false;
  }
  const std::size_t sign = std::min({line.find("# ", at), line.find("$ ", at), line.size()});
  const bool at_end = sign == line.size() && (line.ends_with('#') || line.ends_with('$'));
  if ((sign == line.size() && !at_end) || sign - at > 160) return false;
  const std::string_view place = line.substr(at + 1, sign - at - 1);
  const std::size_t end = place.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
  if (end == 0 || place.empty()) return false;
  if (end != std::string_view::npos && place[end] != ' ' && place[end] != ':' && place[end] != ']') return false;
  host = std::string(place.substr(0, end));
  line = at_end ? std::string_view() : line.substr(sign + 2);
  return true;
}

// "sh-4.4# ", "bash-5.1$ ": a shell without a name of its host.
bool take_shell_prompt(std::string_view& line) {
  std::string_view rest = line;
  if (!consume(rest, "sh-") && !consume(rest, "bash-")) return false;
  const std::size_t end = rest.find_first_not_of("0123456789.");
  if (end == 0 || end == std::string_view::npos || (rest[end] != '#' && rest[end] != '$')) return false;
  line = trim_left(rest.substr(end + 1));
  return true;
}

}  // namespace

std::optional<Prompt> parse_prompt(std::string_view line) {
  line = trim(line);
  if (line.empty() || line.size() > 2000) return std::nullopt;
  Prompt prompt;
  std::string host;
  std::string_view rest = line;
  bool certain = true;
  if (take_user_prompt(rest, host)) {
    prompt.host = host;
  } else if (take_shell_prompt(rest)) {
    prompt.shell = true;
  } else {
    certain = false;
    while (consume(rest, "$") || consume(rest, "#")) rest = trim_left(rest);
  }
  if (!read_command(rest, certain, prompt)) return std::nullopt;
  // Where `oc exec` was typed is not where it ran.
  if (!prompt.pod.empty() && prompt.host == host) prompt.host.clear();
  return prompt;
}

bool begins_with_tool(std::string_view command) {
  const std::string_view name = command.substr(0, std::min(command.find(' '), command.find('_')));
  return one_of(kTools, name);
}

}  // namespace egt::parsers
