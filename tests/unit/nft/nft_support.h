// Reading nft text in tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/format.h"

namespace egt::parsers {

inline const Format& nft_format(std::string_view kind) {
  for (const Format& f : nft_formats()) {
    if (f.kind == kind) return f;
  }
  throw std::runtime_error("no such format");
}

inline Dump nft_dump(std::string_view text, std::string command = "nft list ruleset") {
  Dump d;
  d.source = 1;
  d.path = "dump";
  d.command = std::move(command);
  d.text = text;
  return d;
}

struct Printed {
  std::string text;
  Report report;
};

inline Printed print_again(std::string_view text, std::string_view kind = "nft list ruleset") {
  Printed p;
  nft_format(kind).reprint(nft_dump(text), p.text, p.report);
  return p;
}

struct Loaded {
  cluster::Cluster cluster;
  cluster::Node node;
  Report report;
  const netfilter::Ruleset& rules() const { return node.host.nft.value; }
  const netfilter::Table& table(std::string_view name) const {
    const auto& all = rules().tables;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.name == name; });
    if (found == all.end()) throw std::runtime_error("no such table");
    return *found;
  }
  const netfilter::Chain& chain(std::string_view table_name, std::string_view name) const {
    const auto& all = table(table_name).chains;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.name == name; });
    if (found == all.end()) throw std::runtime_error("no such chain");
    return *found;
  }
};

inline Loaded load_nft(std::string_view text, std::string_view kind = "nft list ruleset",
                       std::string command = "nft list ruleset") {
  Loaded l;
  nft_format(kind).load(nft_dump(text, std::move(command)), l.cluster, l.node, l.report);
  return l;
}

}  // namespace egt::parsers
