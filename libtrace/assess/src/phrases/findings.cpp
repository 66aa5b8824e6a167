#include "phrases/claims.h"
#include "phrases/phrases.h"

namespace egt::assess {

CausePhrase phrase_of_cause(Claim claim, const Terms& about) {
  const ClaimPhrase& phrase = phrase_of(claim);
  return {fill(phrase.words, about), fill(phrase.next, about)};
}

void word(Finding& finding) {
  finding.title = title_of(finding.id);
  const ClaimPhrase& phrase = phrase_of(finding.kind);
  const std::vector<std::pair<std::string_view, Term>> by_name{{"node", if_any(finding.node)},
                                                               {"object", if_any(finding.object)}};
  finding.claim = fill(phrase.words, finding.about, by_name);
  finding.remedy = fill(phrase.next, finding.about, by_name);
}

}  // namespace egt::assess
