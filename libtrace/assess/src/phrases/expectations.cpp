#include <fmt/format.h>

#include "egtrace/assess/check.h"
#include "egtrace/base/fill.h"
#include "egtrace/base/term.h"
#include "expect/ground.h"

namespace egt::assess {
namespace {

constexpr Wording<Ground> kGrounds[] = {
    {Ground::ends, "{0}[ ({1})]"},
    {Ground::differs, "{0|the source seen|the destination|the node|the device} is [{1}||unknown], not {2}: {3}"},
    {Ground::not_on_path, "{0} is not on the path: {1}"},
    {Ground::on_path, "{0} is on the path: {1}"},
    {Ground::reply_not_walked, "the reply was not walked"},
    {Ground::not_followed, "{0}"},
    {Ground::follow_up_ends, "{0|the reply|the packet after the handshake} is {1}: {2}[ ({3})]"},
    {Ground::more_paths, "there are more paths than were walked"},
    {Ground::not_understood, "a part of the path is not understood"},
    {Ground::all_hold, "all {0} hold, the first: {1}"},
    {Ground::some_fail, "{0} to {1}: {2} ({3} of {4} {3:fails|fail}[, {5} undecided])"},
};
static_assert(is_complete(kGrounds));

constexpr Wording<Implication> kImplications[] = {
    {Implication::leaves_as_address, "{0}: {1} leaves as its address"},
    {Implication::reaches_node_without_it, "{0}: {1} reaches node {2} without it"},
    {Implication::leaves_by_gateway, "AdminPolicyBasedExternalRoute {0}: {1} leaves by its gateway"},
    {Implication::service_from_node, "Service {0} port {1} from {2}"},
    {Implication::service_from_outside, "Service {0} port {1} at {2} from outside"},
    {Implication::sends_nothing, "NetworkPolicy {0}: {1} sends nothing"},
    {Implication::receives_nothing, "NetworkPolicy {0}: {1} receives nothing"},
    {Implication::firewall_rule, "EgressFirewall {0} rule {1} {2|denies|allows} {3} to {4}"},
    {Implication::admin_rule, "{0} {1|ingress|egress} rule {2} {3|denies|allows} {4} to {5}"},
    {Implication::network_rule, "NetworkPolicy {0} {1|ingress|egress} rule {2} allows {3} to {4}"},
    {Implication::network_isolation, "NetworkPolicy {0} isolates {1|ingress|egress}: denies {2} to {3}"},
    {Implication::service_denied, "Service {0} port {1} denied to {2}"},
};
static_assert(is_complete(kImplications));

constexpr Wording<Mistake> kMistakes[] = {
    {Mistake::no_such_pod, "no pod of the snapshot fits {0}{1}"},
    {Mistake::no_such_node, "no node of the snapshot fits {0}{1}"},
    {Mistake::no_such_service, "no service of the snapshot fits {0}{1}"},
    {Mistake::no_service, "'{0}' is no service; use svc:NS/NAME"},
    {Mistake::no_pattern, "'{0}' is no pattern; use NS/POD, node:NAME or svc:NS/NAME, with * and ?"},
    {Mistake::nothing_in_network, "no pod, service or node address of the snapshot lies in {0}; give single addresses"},
    {Mistake::unknown_name, "{0}: the snapshot has no {1}{2}"},
    {Mistake::unknown_namespace, "the snapshot has no namespace {0}{1}"},
    {Mistake::no_address, "{0}: '{1}' is no address; write IP, CIDR, IP:PORT, [IPv6]:PORT or none"},
    {Mistake::impossible_address, "{0}: no packet on a network has the address {1}"},
    {Mistake::other_family, "{0}: {1} is of another family than the destination"},
    {Mistake::other, "{0}: {1}"},
};
static_assert(is_complete(kMistakes));

std::string phrase(const std::vector<Gap>& gaps) {
  std::string all;
  for (const Gap& gap : gaps) {
    if (!all.empty()) all += "; ";
    all += fill("{0}[ of {1}][ (to get it: {2})]", {gap.what, if_any(gap.node), if_any(gap.command)});
  }
  return all;
}

}  // namespace

std::string phrase(const Grounds& grounds) { return fill(words_of(kGrounds, grounds.ground), grounds.about); }
std::string phrase(Implication implication, const Terms& about) { return fill(words_of(kImplications, implication), about); }
Error mistake(Mistake mistake, const Terms& about) { return Error{fill(words_of(kMistakes, mistake), about)}; }

std::string phrase_undecided(const std::string& grounds, const std::vector<Gap>& gaps, bool depends) {
  std::string text = grounds;
  if (!gaps.empty()) text += fmt::format("{}the snapshot lacks {}", text.empty() ? "" : "; ", phrase(gaps));
  return depends ? "it depends on what the dumps do not show: " + text : text;
}

Gap missing_objects() {
  return {"", "Kubernetes objects to make expectations of",
          "oc get egressips,egressservices,services,pods,namespaces -A -o yaml"};
}

}  // namespace egt::assess
