// Several things that are said of one flow.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "remark.h"

namespace egt::explain::capture_study {

class Remarks {
 public:
  // Instead of what was said before.
  void set(FlowRemark kind, engine::Details about = {}) { all_ = {{kind, std::move(about)}}; }
  void set(std::vector<FlowStatement> all) { all_ = std::move(all); }
  void add(FlowRemark kind, engine::Details about = {}) { all_.push_back({kind, std::move(about)}); }
  void add(const std::vector<FlowStatement>& more) { all_.insert(all_.end(), more.begin(), more.end()); }

  std::string text() const { return text_of(all_); }
  static std::string text_of(const std::vector<FlowStatement>& all) {
    std::string text;
    for (const FlowStatement& one : all) text += (text.empty() ? "" : "; ") + phrase(one);
    return text;
  }

 private:
  std::vector<FlowStatement> all_;
};

}  // namespace egt::explain::capture_study
