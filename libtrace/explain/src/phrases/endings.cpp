#include "endings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "egtrace/base/fill.h"

namespace egt::explain {
namespace {

constexpr Wording<Ending> kEndings[] = {
    {Ending::logical_flow_drops, "a logical flow of {0}[ in {1}] drops it"},
    {Ending::no_route_of_ovn, "[{0}||OVN] has no route to {1}"},
    {Ending::no_logical_flow, "no logical flow of {0}[ in {1}] is for it, so it is dropped"},
    {Ending::row_decides, "{0} \"{1}\" ({2})"},
    {Ending::no_local_endpoint,
     "service {0} has externalTrafficPolicy Local, and its pods run on {1}, none on {2}[, so no device behind {3} replies for "
     "{4}, to which "
     "{5} translates {6}]"},
    {Ending::wrong_node,
     "{0}'s [{1} ]route {2}[ via {3}][, which is preferred to BGP's via {4},] sends it to the wrong node: {5} translates the "
     "request to {6}, "
     "and only there the reply is translated back to {7}"},
    {Ending::remembered_frame,
     "[a symmetric-reply route of {0}||{1}] uses the MAC of the reply's frame, {2}[ ({3}'s {4})], for the path back, and sends "
     "to it instead "
     "of {5}[ ({6}'s {7})][; so the packet enters {8} by {9} and not by {10}][, without the mark {11x} that {12} gives there]"
     "[, without the mark {13x} that a rule gives there]"},
};
static_assert(egt::is_complete(kEndings));

std::string place_of(const PathReport& path) {
  if (!path.stopped_at) return {};
  const std::string &node = path.stopped_at->node, &where = path.stopped_at->where;
  return node.empty() || where.empty() ? node + where : node + ", " + where;
}

}  // namespace

std::string phrase(Ending ending, const Terms& about) { return egt::fill(words_of(kEndings, ending), about); }

std::string sentence_of_delivered(const PathReport& path, const std::string& from, bool leaves) {
  const NatReport* nat = path.snat.empty() ? nullptr : &path.snat.back();
  const EgressReport* egress = path.egress ? &*path.egress : nullptr;
  return egt::fill(leaves ? "{0} leaves for {1} as {2}[, translated by {4} on {5}][; it leaves the cluster by {6} {7}]"
                          : "{3} ({1}) sees {0} as {2}[, translated by {4} on {5}][; it leaves the cluster by {6} {7}]",
                   {from, to_text(*path.destination_seen), to_text(*path.source_seen), path.end_name,
                    nat == nullptr ? Term() : Term(nat->by), nat == nullptr ? Term() : Term(nat->node),
                    egress == nullptr ? Term() : Term(egress->node), egress == nullptr ? Term() : Term(egress->device)});
}

std::string sentence_of_stopped(const PathReport& path, const Stopping& stopping) {
  const std::string where = place_of(path);
  const std::string why = !stopping.drop.empty() ? stopping.drop : path.stopped_at ? path.stopped_at->why : "";
  if (path.verdict == Verdict::inconclusive)
    return egt::fill("the dumps do not show what happens to {0} after [{1}||its start]: {2}",
                     {stopping.packet, if_any(where), why});
  std::string s = egt::fill("{0} is {1} at {2}: ", {stopping.packet, name_of(path.verdict), where});
  for (const std::string& cause : stopping.causes)
    if (!cause.empty()) s += cause + "; ";
  if (stopping.rule.empty()) return s + why;
  // What ends the packet, then what becomes of the refusal.
  const std::string& cause = path.stopped_at->cause;
  return s + cause + fmt::format(" ({})", stopping.rule) + why.substr(cause.size());
}

std::string sentence_of_all(const std::vector<PathReport>& paths, std::optional<Verdict> verdict) {
  if (paths.empty()) return "nothing is known of this packet";
  std::vector<std::string> sentences;
  std::set<std::string> sources;
  for (const PathReport& path : paths) {
    if (std::find(sentences.begin(), sentences.end(), path.summary) == sentences.end()) sentences.push_back(path.summary);
    if (path.source_seen) sources.insert(path.source_seen->ip);
  }
  if (sentences.size() == 1) return sentences.front();
  if (verdict != Verdict::delivered)
    return fmt::format("{} paths ({}): {}", paths.size(), name_of(verdict), fmt::join(sentences, "; or "));
  if (sources.size() == 1)
    return egt::fill("{0} paths, all with source {1}: {2}", {paths.size(), *sources.begin(), sentences.front()});
  return egt::fill("{0} paths, seen as {1}", {paths.size(), Alternatives{{sources.begin(), sources.end()}}});
}

Gap gap_of_unknown_part(const std::string& node) { return {node, "what a part of the path does is not understood", ""}; }

}  // namespace egt::explain
