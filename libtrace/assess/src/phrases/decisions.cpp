#include "phrases/decisions.h"

#include "egtrace/base/fill.h"

namespace egt::assess {
namespace {

constexpr Wording<Decision> kDecisions[] = {
    {Decision::stop, "{0}: {1}: {2}[ ({3})]"},
    {Decision::snat, "{0}: SNAT by {1}[, {2}]"},
    {Decision::hop, "{0}: {1}: {2}"},
    {Decision::no_snat, "no translation"},
};
static_assert(is_complete(kDecisions));

}  // namespace

std::string phrase(Decision decision, const Terms& about) { return fill(words_of(kDecisions, decision), about); }

}  // namespace egt::assess
