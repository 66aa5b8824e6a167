// A line on standard error that shows how far reading has come. Only where that is a terminal, and only once reading has
// taken long enough to be noticed.
#pragma once

#include <memory>

#include "egtrace/parsers/snapshot.h"

namespace egt::cli {

class ProgressLine {
 public:
  // Lets `request` report; from then on until its end, or until clear(), the line is shown.
  ProgressLine(parsers::SnapshotRequest& request, bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  void clear() const;

 private:
  struct Shown;
  std::unique_ptr<Shown> shown_;
};

}  // namespace egt::cli
