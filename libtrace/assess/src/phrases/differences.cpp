#include "phrases/differences.h"

#include "egtrace/base/fill.h"

namespace egt::assess {
namespace {

constexpr Wording<NotShown> kNotShown[] = {
    {NotShown::by_first, "the first snapshot does not show all of them"},
    {NotShown::by_second, "the second snapshot does not show all of them"},
    {NotShown::by_either, "neither snapshot shows all of them"},
};
static_assert(is_complete(kNotShown));

}  // namespace

std::string phrase(NotShown by) { return std::string(words_of(kNotShown, by)); }

}  // namespace egt::assess
