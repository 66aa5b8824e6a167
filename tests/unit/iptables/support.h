// What the tests of iptables share: one text through one of its formats.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/format.h"

namespace egt::test {

inline parsers::Dump dump_of(std::string_view text, std::string command = {}) {
  parsers::Dump d;
  d.source = 1;
  d.path = "dump";
  d.command = std::move(command);
  d.text = text;
  return d;
}

inline const parsers::Format* surest(const parsers::Dump& d, std::span<const parsers::Format> formats) {
  const parsers::Format* best = nullptr;
  int confidence = 0;
  for (const parsers::Format& f : formats)
    if (const int c = f.recognise(d).confidence; c > confidence) best = &f, confidence = c;
  return best;
}

struct Printed {
  std::string text, kind;
  parsers::Report report;
};

inline Printed reprinted(std::string_view text, std::span<const parsers::Format> formats, std::string command = {}) {
  const parsers::Dump d = dump_of(text, std::move(command));
  Printed p;
  if (const parsers::Format* f = surest(d, formats)) {
    p.kind = std::string(f->kind);
    f->reprint(d, p.text, p.report);
  }
  return p;
}

inline parsers::Report loaded(std::string_view text, std::span<const parsers::Format> formats, cluster::Node& node,
                              std::string command = {}, bool partial = false) {
  parsers::Dump d = dump_of(text, std::move(command));
  d.partial = partial;
  parsers::Report report;
  cluster::Cluster cluster;
  if (const parsers::Format* f = surest(d, formats)) f->load(d, cluster, node, report);
  return report;
}

}  // namespace egt::test
