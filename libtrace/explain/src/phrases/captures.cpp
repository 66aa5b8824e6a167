#include "capture/remark.h"
#include "phrase.h"

namespace egt::explain::capture_study {
namespace {

constexpr Phrase<FlowRemark> kRemarks[] = {
    // of a flow as a whole
    {FlowRemark::only_a_reset, "only-a-reset", "the captures hold only a TCP reset, of a connection that began before them"},
    {FlowRemark::only_a_late_syn_ack, "only-a-late-syn-ack",
     "the captures hold only a late SYN-ACK, of a connection that began before them"},
    {FlowRemark::late_syn_ack_refused, "late-syn-ack-refused",
     "the captures hold only a late SYN-ACK, of a connection that began before them; {0} answers it with a TCP reset, so it does "
     "not wait for it any more"},
    {FlowRemark::only_the_other_direction, "only-the-other-direction",
     "the captures hold only packets that the other side sent, from the middle of a connection"},
    {FlowRemark::one_direction_only, "one-direction-only", "seen at {0} in one direction only, from the middle of a connection"},
    {FlowRemark::only_the_reply, "only-the-reply", "only the reply was captured"},
    {FlowRemark::nothing_that_opens, "nothing-that-opens", "the captures hold no packet that opens it, and no reply"},

    // of its prediction
    {FlowRemark::answered_unpredicted, "answered-unpredicted", "answered, though {0}"},
    {FlowRemark::answered_nevertheless, "answered-nevertheless", "it was answered, although by the dumps it is not: {0}"},
    {FlowRemark::no_process_listens, "nobody-listens", "no process listens on {0}"},
    {FlowRemark::path_not_computed, "path-not-computed",
     "its path was not computed: the captures have too many different ends; filter them"},
    {FlowRemark::path_not_shown, "path-not-shown", "the snapshot does not show its path"},
    {FlowRemark::several_paths_fit, "several-paths-fit", "the captures fit {0} paths: {1}; or {2}"},
    {FlowRemark::ends_as_predicted, "ends-as-predicted", "it is {0} at {1}: {2}"},
    {FlowRemark::seen_by_receiver_as, "seen-by-receiver-as", "{0} sees it as {1}"},
    {FlowRemark::sender_not_captured, "sender-not-captured",
     "who sent it was not captured: its TTL shows that {0} forwarded it and gave it its address"},
    {FlowRemark::predicted, "predicted", "{0}"},

    // of packets that came back, or did not
    {FlowRemark::comes_back, "comes-back", "{0} comes back, first seen at {1}"},
    {FlowRemark::comes_back_from, "comes-back-from", "{0} comes back from {1}, first seen at {2}"},
    {FlowRemark::reply_lost_as_predicted, "reply-lost-as-predicted", "the request arrives; the reply does not: {0}"},
    {FlowRemark::reply_lost_between, "reply-lost-between", "the request arrives; the reply is seen at {0} and not at {1}"},
    {FlowRemark::reply_should_get_through, "reply-should-get-through", "by the dumps it should get through"},
    {FlowRemark::no_reply_predicted, "no-reply-predicted", "seen at {0} without a reply; {1}"},
    {FlowRemark::no_reply_unplaced, "no-reply-unplaced",
     "seen at {0} without a reply; where that is, neither the file's name nor its content shows"},
    {FlowRemark::last_seen_without_path, "last-seen-without-path", "last seen at {0}; the snapshot does not show its path"},
    {FlowRemark::last_seen_off_path, "last-seen-off-path", "last seen at {0}; that is not on the path that the dumps show"},
    {FlowRemark::lost_before_next, "lost-before-next", "seen at {0}, and not at {1}, which is next by the dumps"},
    {FlowRemark::no_reply_at, "no-reply-at", "no reply is seen at {0}"},
    {FlowRemark::nothing_captured_behind, "nothing-captured-behind", "seen at {0}; nothing behind that place was captured"},
    {FlowRemark::arrives_without_reply, "arrives-without-reply", "it arrives at {0}; no reply is seen at {1}"},
    {FlowRemark::seen_without_reply, "seen-without-reply",
     "seen at {0}; no reply is seen at {1}; what lies between was not captured"},
    {FlowRemark::refusal_not_at_sender, "refusal-not-at-sender", "{0} was sent, but is not seen at the sender"},
    {FlowRemark::refusal_ends_nothing, "refusal-ends-nothing", "{0} comes back, which ends no established connection"},
    {FlowRemark::reset_belongs_to_nothing, "reset-belongs-to-nothing",
     "a TCP reset arrives as {0}, which belongs to nothing that the sender sent, so its connection stays open"},
    {FlowRemark::reset_not_at_sender, "reset-not-at-sender", "a TCP reset was sent ({0} at {1}), but is not seen at the sender"},

    // of what tracers saw
    {FlowRemark::dropped_as_predicted, "dropped-as-predicted",
     "the kernel drops it at {1} ({0}: {2}), as the dumps predict: {3}"},
    {FlowRemark::dropped_unpredicted, "dropped-unpredicted",
     "the kernel drops it at {1} ({0}: {2}); by the dumps it goes on there"},
    {FlowRemark::dropped_there, "dropped-there", "the kernel drops it at {1} ({0}: {2})"},
    {FlowRemark::dropped_without_path, "dropped-without-path",
     "the kernel drops it at {1} ({0}: {2}); the snapshot does not show its path there"},
    {FlowRemark::events_show_no_absence, "events-show-no-absence",
     "last seen at {0}; a tracer shows only what its probes meet, so nothing says that it did not get further"},
    {FlowRemark::only_events, "only-events", "seen inside {0} only, and no drop was traced"},

    // of an event that is at no hop
    {FlowRemark::path_unknown, "path-unknown", "the snapshot does not show the path of this flow"},
    {FlowRemark::node_not_on_path, "node-not-on-path", "the predicted path does not lead through {0}"},
    {FlowRemark::reply_not_predicted, "reply-not-predicted", "the dumps predict no reply"},
    {FlowRemark::device_not_on_path, "device-not-on-path", "the predicted path does not use {0}"},
    {FlowRemark::device_other_direction, "device-other-direction", "the predicted path does not use {0} in this direction"},
    {FlowRemark::behind_packet, "behind-packet",
     "the predicted path has such a hop only before the one at which this packet was already"},
    {FlowRemark::switch_not_on_path, "switch-not-on-path", "the predicted path does not use Open vSwitch of {0}"},
    {FlowRemark::stack_not_on_path, "stack-not-on-path", "the predicted path does not enter the network stack of {0}"},
    {FlowRemark::zone_not_on_path, "zone-not-on-path", "the predicted path does not use conntrack zone {0}"},
    {FlowRemark::flows_not_on_path, "flows-not-on-path", "none of its {0} OpenFlow flows is on the predicted path"},
    {FlowRemark::rule_not_on_path, "rule-not-on-path", "the predicted path does not meet rule {2} of {0} {1}: {3}"},
    {FlowRemark::rule_not_dumped, "rule-not-dumped",
     "no dump has rule {2} of {0} {1}; `nft -a list ruleset` prints rules with their handles"},
    {FlowRemark::chain_not_on_path, "chain-not-on-path", "the predicted path does not meet chain {0} {1}"},
    {FlowRemark::other_namespace, "other-namespace",
     "it is in network namespace {0}, which is neither the host's nor one of the ends'"},
    {FlowRemark::place_unknown, "place-unknown", "which node was traced is not known; say NODE=FILE"},
    {FlowRemark::symbol_unknown, "symbol-unknown", "the stage of {0} is not known"},

    // of a place
    {FlowRemark::not_seen, "not-seen", "not seen"},
    {FlowRemark::goes_on, "goes-on", "it goes on"},
    {FlowRemark::nothing_of_flow, "nothing-of-flow", "nothing of this flow"},
    {FlowRemark::unknown_place, "unknown-place", "an unknown place"},
};
static_assert(is_complete(kRemarks));

}  // namespace

std::string phrase(const FlowStatement& remark) {
  return fill(kRemarks[static_cast<std::size_t>(remark.kind)].words, remark.about);
}

}  // namespace egt::explain::capture_study
