// Snapshots for tests: the sample, copied and changed in one place.
#pragma once

#include <string>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::testing {

class Sample {
 public:
  Sample();  // a copy of samples/egressip-secondary
  // Each gives the sample back, so that changes can be chained. The test fails where nothing was changed.
  Sample& remove(const std::string& file);
  Sample& replace(const std::string& file, const std::string& what, const std::string& with);
  Sample& without_lines(const std::string& file, const std::string& containing);
  // Removes the database record (up to the empty line) that contains the text.
  Sample& without_record(const std::string& file, const std::string& containing);
  Sample& copy(const std::string& file, const std::string& to);  // uncompressed
  Sample& append(const std::string& file, const std::string& text);
  Sample& write(const std::string& file, const std::string& text);
  cluster::Cluster read() const;
  // With what is known of how it was collected. `as_intended`: with logical flows ready to be walked, as triage has them.
  parsers::Snapshot open(bool as_intended = false) const;
  const std::string& path() const { return directory_.path(); }

 private:
  std::string load(const std::string& file) const;
  TemporaryDirectory directory_;
};

}  // namespace egt::testing
