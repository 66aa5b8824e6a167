#include "answer.h"

#include "counted.h"
#include "egtrace/assess/cause.h"

namespace egt::cli {

Result<explain::Explanation> answer(const explain::Explainer& explainer, const explain::Question& question) {
  auto explanation = explainer.explain(question);
  if (explanation) {
    explanation->cause = assess::find_cause(explainer, *explanation);
    Counted(explainer.cluster()).add_to(*explanation);
  }
  return explanation;
}

}  // namespace egt::cli
