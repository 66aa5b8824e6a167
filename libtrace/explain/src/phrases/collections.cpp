#include "collections.h"

#include "egtrace/base/fill.h"
#include "phrase.h"

namespace egt::explain {
namespace {

// Of databases {0} is its name, {1} its node, {2} the moment that is asked about, {3} another one.
constexpr Phrase<Limit> kLimits[] = {
    {Limit::others_as_dumped, "others-as-dumped",
     "what is in no database file (flows, rules, routes, connections, objects) was at {0} as it was dumped",
     "only databases keep a log of what held before"},
    {Limit::moment_unknown, "moment-unknown", "the rows of [{0}||a database] of {1} were at {2} what the file has",
     "none of its records has a time"},
    {Limit::log_begins_later, "log-begins-later", "the rows of [{0}||a database] of {1} were at {2} what they were at {3}",
     "its log begins with a snapshot made then: what came before is not in it"},
    {Limit::nothing_later, "nothing-later", "nothing changed in [{0}||a database] of {1} between {3} and {2}",
     "the file has no later transaction, and does not show when it was copied"},
    {Limit::later_transactions, "later-transactions",
     "{4} later transaction{4:|s} of [{0}||a database] of {1} changed no flow, rule or route that matters here",
     "its rows are those of [{3}||the beginning], the last transaction until {2}; what was dumped has seen the later ones"},
    {Limit::map_gives_back, "map-gives-back", "the private map of {0} gives back what was replaced",
     "it replaces several things by one at times, and parts of what is no address"},
    {Limit::replaced_alike, "replaced-alike", "addresses that {0} replaced stand for the same thing everywhere",
     "numbers in registers, marks and compared parts of addresses were not replaced"},
    {Limit::damaged, "damaged", "what was read of a damaged archive is what was packed: {0}",
     "its bytes have changed; copy it again"},
    {Limit::not_read, "not-read", "nothing that was not read of the snapshot matters here: {0}",
     "its content may show otherwise"},
};
static_assert(is_complete(kLimits));

constexpr std::string_view kReplaced =
    "addresses as they were before {0} replaced them: "
    "{1|its masks, prefixes and MACs no longer fit the numbers in registers and actions|it gave several one address, which its "
    "map does not "
    "distinguish}";
constexpr std::string_view kBefore =
    "the {0|archive as it was before the addresses were replaced|report as it was before sos clean, or at least its private map, "
    "laid beside "
    "it}";

}  // namespace

AssumptionReport phrase(Limit limit, const Terms& about, Evidence evidence) {
  const Phrase<Limit>& phrase = kLimits[static_cast<std::size_t>(limit)];
  return {egt::fill(phrase.words, about), egt::fill(phrase.why, about), std::move(evidence)};
}

Gap gap_of_replaced(const std::string& node, const std::string& tool, bool translated_back) {
  return {node, egt::fill(kReplaced, {tool, translated_back}), egt::fill(kBefore, {tool == "sos clean" && !translated_back})};
}

std::string phrase_of_replaced(const std::string& tool, const std::string& summary) {
  return egt::fill("undecided: in what {0} left of the dumps, {1}", {tool, summary});
}

}  // namespace egt::explain
