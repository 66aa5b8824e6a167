// What may come next on a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::cli {

struct Completion {
  std::vector<std::string> words;  // that begin as the last word does, sorted
  bool files = false;              // names of files fit as well
};

// `words`: those behind the program's name; the last one, possibly empty, is to be completed. Names of pods,
// services and nodes come from the snapshot that they name, where it can be read.
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

// Pods, services and nodes that a POINT may name, sorted.
std::vector<std::string> points_of(const cluster::Cluster& cluster);

// The script that makes a shell ask: bash, zsh or fish.
const char* completion_script(const std::string& shell);

}  // namespace egt::cli
