// Which failures of an expectation the baseline has.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "egtrace/assess/baseline.h"

namespace egt::render {

class KnownCases {
 public:
  // `baseline`: null where none was given; then nothing is known.
  KnownCases(const assess::ExpectationReport& report, const std::vector<std::string>& fingerprints,
             const assess::BaselineComparison* baseline)
      : report_(report), fingerprints_(fingerprints), baseline_(baseline) {}

  bool has(std::size_t i) const {
    return baseline_ != nullptr && report_.cases[i].judgement.holds == false && baseline_->is_known(fingerprints_[i]);
  }
  // It fails, and whatever fails of it is known.
  bool has_all() const {
    if (baseline_ == nullptr || report_.overall.holds != false) return false;
    for (std::size_t i = 0; i < report_.cases.size(); ++i)
      if (report_.cases[i].judgement.holds == false && !has(i)) return false;
    return true;
  }

 private:
  const assess::ExpectationReport& report_;
  const std::vector<std::string>& fingerprints_;
  const assess::BaselineComparison* baseline_;
};

}  // namespace egt::render
