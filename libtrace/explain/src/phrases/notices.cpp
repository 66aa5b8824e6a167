#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;

constexpr Phrase<Notice> kNotices[] = {
    // flows and ports
    {Notice::resubmit_of_untracked, "resubmit-of-untracked",
     "resubmit(…,ct) of a packet that conntrack has not seen does nothing"},
    {Notice::flow_stops_at_ttl, "flow-stops-at-ttl", "TTL of 1 or less: Open vSwitch stops executing this flow"},
    {Notice::input_port_skipped, "input-port-skipped", "output to the port that the packet came in by is skipped"},
    {Notice::port_missing, "port-missing", "port {0} of {1} does not exist"},
    {Notice::port_no_forward, "port-no-forward", "port {0} of {1} has NO_FWD set"},
    {Notice::port_down, "port-down", "port {0} is administratively down"},
    {Notice::port_without_link, "port-without-link", "port {0} has no link"},
    {Notice::group_missing, "group-missing", "group {0} of {1} does not exist"},
    {Notice::no_live_bucket, "no-live-bucket", "the group has no live bucket"},
    {Notice::mac_learned, "mac-learned", "NORMAL: {0} was learned on port {1}"},
    {Notice::flood, "flood", "NORMAL floods: {0} is not in the MAC table of {1}"},
    {Notice::own_tunnel_address, "own-tunnel-address", "Open vSwitch does not tunnel to its own address"},
    {Notice::meter, "meter", "meter {0} may drop packets above its rate"},
    {Notice::truncated, "truncated", "this copy is cut to {0} bytes"},
    {Notice::mirrored, "mirrored", "mirror {0} of {1} takes a copy"},
    {Notice::not_understood, "not-understood", "not understood: {0}"},
    {Notice::vlan_limit, "vlan-limit", "Open vSwitch looks at one tag (vlan-limit): what stands behind the second is not read"},
    {Notice::endless_recirculation, "endless-recirculation",
     "the packet recirculates without an end; it is not followed any further"},

    // devices
    {Notice::one_of_legs, "one-of-legs",
     "{0} ({1}) spreads what it sends over {3} legs, which lead to one link; the path shows {2}"},

    {Notice::bridged_vlan, "bridged-vlan", "bridge {0} carries the frame from {2} to {3} in VLAN {1}"},

    // IPsec
    {Notice::ipsec_encrypts, "ipsec-encrypts",
     "{2} encrypts it: the wire from {0} to {1} carries {3|ESP|ESP in UDP} instead, and so does a capture there"},

    // ovn-controller
    {Notice::answer_refused, "answer-refused", "ovn-controller's own answer is refused"},
    {Notice::answer_waits, "answer-waits", "ovn-controller's own answer waits for an address to be resolved"},
    {Notice::not_answered, "not-answered", "ovn-controller does not answer a packet of this kind"},
    // conntrack
    {Notice::later_fragment, "later-fragment",
     "conntrack reassembles fragments; a later fragment alone does not carry the ports"},
    {Notice::quoted_packet_unknown, "quoted-packet-unknown",
     "which connection an ICMP error belongs to depends on the packet it quotes, which is not known"},
    {Notice::no_free_port, "no-free-port", "no free port is left for the translation"},
};
static_assert(is_complete(kNotices));

}  // namespace

std::string phrase(const Statement<Notice>& notice) {
  return fill(kNotices[static_cast<std::size_t>(notice.kind)].words, notice.about);
}

}  // namespace egt::explain
