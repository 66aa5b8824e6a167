// Prompt lines of pasted terminal sessions: "$ ip rule", "[root@worker-1 ~]# nft list ruleset", "sh-4.4# ip route",
// "oc exec -n NS POD -- ovs-ofctl dump-flows br-int | grep …".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace egt::parsers {

struct Prompt {
  std::string command;  // from the tool's name on, single blanks, without pipes; empty: a prompt, but no tool of ours
  std::string host;     // of the prompt, or of `oc debug node/HOST`; empty when it has none
  std::string pod;      // that `oc exec` entered: some node, which only the pod's object names
  std::string netns;    // network namespace that the command ran in; empty: the one of its shell
  bool enters = false;  // the command is a shell in `netns`, until one `leaves`
  bool leaves = false;  // "exit"
  bool shell = false;   // an interactive inner shell ("sh-4.4#"): on the node of the prompt before
};

// None when the line is no prompt. A comment ("# routes of the node") is one only where a dump command follows the '#'.
std::optional<Prompt> parse_prompt(std::string_view line);

// Whether the text begins with the name of a tool that prints dumps, blanks or '_' behind it.
bool begins_with_tool(std::string_view command);

}  // namespace egt::parsers
