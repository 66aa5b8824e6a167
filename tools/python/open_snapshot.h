// A snapshot that stays open and answers as the verbs do, with their JSON. It knows nothing of Python.
//
// Any number of threads may ask at once: models are read only, and each question takes a walker of its own.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "packet_options.h"

namespace egt::python {

// What the verbs end with status 2 for, distinguished: the question or a file of it cannot be used; the snapshot cannot.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class SnapshotError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SnapshotArguments {
  std::string path;
  std::vector<std::string> dumps;  // [NODE:][KIND=]PATH
  std::string at;                  // a moment as of which databases are read
  unsigned jobs = 0;
  bool follow_links = false;
};

struct AuditArguments {
  std::vector<std::string> to, namespaces;
  bool one_way = false;
};

struct CheckArguments {
  std::string text, name;  // expectations as YAML or JSON, and what errors call them; empty: none
  bool from_objects = false, assume_gaps = false;
  std::string baseline, baseline_name;  // of --write-baseline; without a name: none
};

class OpenSnapshot {
 public:
  explicit OpenSnapshot(SnapshotArguments arguments);
  ~OpenSnapshot();

  std::string explain(const cli::PacketOptions& packet);
  std::string audit(const AuditArguments& arguments);
  std::string check(const CheckArguments& arguments);
  std::string baseline(const CheckArguments& arguments);  // of what fails now
  std::string triage(const std::vector<std::string>& only);
  std::string inspect();
  std::string lookup(const std::string& object);

 private:
  struct Reading;
  Reading& walked();     // as explain, audit and check read it
  Reading& intended();   // as triage does
  Reading& as_dumped();  // as inspect and lookup do

  SnapshotArguments arguments_;
  struct Readings;
  std::unique_ptr<Readings> readings_;
};

}  // namespace egt::python
