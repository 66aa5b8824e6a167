// What the fuzz targets of single families of formats do with a text.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/format.h"

namespace egt::fuzz {

enum class Prints { something, what_was_read };

// Each format recognises, prints, shows and loads the text, whether it is its own or not.
inline int feed(std::span<const parsers::Format> formats, const std::uint8_t* data, std::size_t size, Prints prints,
                std::string command = {}) {
  parsers::Dump dump;
  dump.source = 1;
  dump.path = "input";
  dump.command = std::move(command);
  dump.text = std::string_view(reinterpret_cast<const char*>(data), size);
  for (const parsers::Format& format : formats) {
    parsers::Report printed, shown, loaded;
    std::string text, json;
    (void)format.recognise(dump);
    format.reprint(dump, text, printed);
    if (prints == Prints::what_was_read && text != dump.text) std::abort();
    format.to_json(dump, json, shown);
    cluster::Cluster cluster;
    format.load(dump, cluster, cluster.ensure_node("n"), loaded);
  }
  return 0;
}

}  // namespace egt::fuzz
