// A second dump of what another one shows as well, kept apart: taken at another moment, it shows what counted in between.
#pragma once

#include <memory>
#include <string>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

struct DumpCopy {
  std::string node;
  SourceId read = kNoSource;            // the dump that the cluster was filled from
  SourceId other = kNoSource;           // the one that `content` was
  std::shared_ptr<const Node> content;  // what that dump shows, and nothing else
};

}  // namespace egt::cluster
