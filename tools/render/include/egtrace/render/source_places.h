// Where the files that results name lie for the reviewer of a change: in the repository, as far as they are in it.
#pragma once

#include <string>

namespace egt::render {

struct SourcePlaces {
  std::string expectations;  // the file of expectations, from the root of the repository; empty: there is none
  std::string snapshot;  // the folder of the snapshot from there ("." is the root); empty: it is an archive, or lies elsewhere
  std::string snapshot_name;  // what the snapshot is called where its folder is empty
};

// A dump, from the root of the repository, where the snapshot is a folder of it.
inline std::string in_sources(const SourcePlaces& places, const std::string& dump) {
  return places.snapshot == "." ? dump : places.snapshot + "/" + dump;
}

}  // namespace egt::render
