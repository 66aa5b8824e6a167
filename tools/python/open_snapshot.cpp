#include "open_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "answer.h"
#include "command.h"
#include "egtrace/assess/audit.h"
#include "egtrace/assess/baseline.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/names.h"
#include "egtrace/assess/triage.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/dump_copies.h"
#include "egtrace/parsers/expectations.h"
#include "egtrace/parsers/out_of_memory.h"
#include "egtrace/parsers/snapshot.h"
#include "egtrace/render/audit.h"
#include "egtrace/render/baseline.h"
#include "egtrace/render/check.h"
#include "egtrace/render/explain.h"
#include "egtrace/render/inspect.h"
#include "egtrace/render/lookup.h"
#include "egtrace/render/triage.h"

namespace egt::python {
namespace {

template <class T>
T value_or_usage_error(Result<T> result) {
  if (!result) throw UsageError(result.error().message);
  return std::move(*result);
}

void refuse(const std::optional<Error>& mistake, const std::string& before = {}) {
  if (mistake) throw UsageError(before + mistake->message);
}

parsers::Snapshot open(const SnapshotArguments& a, bool presume, bool as_intended) {
  parsers::SnapshotRequest request;
  request.path = a.path;
  request.dumps = a.dumps;
  request.jobs = a.jobs;
  request.follow_links = a.follow_links;
  request.presume = presume;
  request.as_intended = as_intended;
  if (!a.at.empty()) request.as_of = value_or_usage_error(parse_moment(a.at));
  try {
    auto snapshot = parsers::open_snapshot(request);
    if (!snapshot) throw SnapshotError(snapshot.error().message);
    return std::move(*snapshot);
  } catch (const parsers::OutOfMemory& dump) {
    throw SnapshotError(dump.path + ": needs more memory than there is; take an excerpt of it");
  }
}

// What was read from a file that was written to since is not to be relied on.
std::string reliable(std::string answer) {
  if (const auto changed = parsers::changed_file()) throw SnapshotError(*changed);
  return answer;
}

}  // namespace

// A walker keeps what its lookups found: one that is free is taken again.
struct OpenSnapshot::Reading {
  explicit Reading(parsers::Snapshot read)
      : snapshot(std::move(read)), first(snapshot.cluster, &snapshot.collection), names(snapshot.cluster) {}

  class Loan {
   public:
    explicit Loan(Reading& reading) : reading_(reading), walker_(reading.take()) {}
    ~Loan() { reading_.give_back(std::move(walker_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    const explain::Explainer& operator*() const { return *walker_; }

   private:
    Reading& reading_;
    std::unique_ptr<explain::Explainer> walker_;
  };

  std::unique_ptr<explain::Explainer> take() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<explain::Explainer>(first.for_another_thread());
    auto walker = std::move(idle.back());
    idle.pop_back();
    return walker;
  }
  void give_back(std::unique_ptr<explain::Explainer> walker) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(walker));
  }

  parsers::Snapshot snapshot;
  explain::Explainer first;
  assess::NameChecker names;
  std::mutex mutex;
  std::vector<std::unique_ptr<explain::Explainer>> idle;
};

struct OpenSnapshot::Readings {
  std::mutex mutex;
  std::unique_ptr<Reading> walked, intended, as_dumped;
  Reading& get(std::unique_ptr<Reading>& one, const SnapshotArguments& a, bool presume, bool as_intended) {
    const std::lock_guard lock(mutex);
    if (!one) one = std::make_unique<Reading>(open(a, presume, as_intended));
    return *one;
  }
};

OpenSnapshot::OpenSnapshot(SnapshotArguments arguments)
    : arguments_(std::move(arguments)), readings_(std::make_unique<Readings>()) {
  if (arguments_.path.empty() && arguments_.dumps.empty())
    throw UsageError("no snapshot given; name a directory, an archive or a file");
  if (arguments_.path == "-") throw UsageError("a snapshot is read more than once; write standard input to a file");
  walked();
}
OpenSnapshot::~OpenSnapshot() = default;

OpenSnapshot::Reading& OpenSnapshot::walked() { return readings_->get(readings_->walked, arguments_, true, false); }
OpenSnapshot::Reading& OpenSnapshot::intended() { return readings_->get(readings_->intended, arguments_, true, true); }
OpenSnapshot::Reading& OpenSnapshot::as_dumped() { return readings_->get(readings_->as_dumped, arguments_, false, false); }

std::string OpenSnapshot::explain(const cli::PacketOptions& packet) {
  explain::Question question;
  try {
    question = packet.question();
  } catch (const cli::CommandError& mistake) {
    throw UsageError(mistake.what());
  }
  question.counters = true;
  Reading& reading = walked();
  if (!packet.namespace_.empty()) refuse(reading.names.unknown_namespace({packet.namespace_}));
  const Reading::Loan explainer(reading);
  return reliable(render::explain_json(value_or_usage_error(cli::answer(*explainer, question))));
}

std::string OpenSnapshot::audit(const AuditArguments& a) {
  Reading& reading = walked();
  refuse(reading.names.unknown_namespace(a.namespaces));
  refuse(reading.names.unknown_place(a.to));
  assess::AuditOptions options;
  options.to = a.to;
  options.namespaces = a.namespaces;
  options.one_way = a.one_way;
  options.jobs = arguments_.jobs;
  const Reading::Loan explainer(reading);
  return reliable(render::audit_json(value_or_usage_error(assess::audit(*explainer, options))));
}

namespace {

std::vector<assess::ExpectationReport> reports_of(const explain::Explainer& explainer, const assess::NameChecker& names,
                                                  const CheckArguments& a) {
  std::vector<expect::Expectation> all;
  if (!a.name.empty()) all = value_or_usage_error(parsers::parse_expectations(a.text, a.name));
  for (const expect::Expectation& e : all) refuse(names.mistake_in(e), fmt::format("{}:{}: ", a.name, e.line));
  if (a.from_objects)
    for (expect::Expectation& made : assess::expectations_from_objects(explainer.cluster())) all.push_back(std::move(made));
  assess::CheckOptions options;
  options.assume_gaps = a.assume_gaps;
  return assess::Checker(explainer, options).check(all);
}

}  // namespace

std::string OpenSnapshot::check(const CheckArguments& a) {
  std::optional<assess::Baseline> baseline;
  if (!a.baseline_name.empty()) {
    auto read = render::read_baseline(a.baseline);
    if (!read) throw UsageError(a.baseline_name + ": " + read.error().message);
    baseline = std::move(*read);
  }
  Reading& reading = walked();
  const Reading::Loan explainer(reading);
  const std::vector<assess::ExpectationReport> reports = reports_of(*explainer, reading.names, a);
  std::vector<Gap> gaps;
  if (reports.empty() && a.from_objects && !assess::has_objects(reading.snapshot.cluster))
    gaps.push_back(assess::missing_objects());
  if (!baseline) return reliable(render::check_json(reports, nullptr, gaps));
  const assess::BaselineComparison compared = assess::compare(reports, *baseline);
  return reliable(render::check_json(reports, &compared, gaps));
}

std::string OpenSnapshot::baseline(const CheckArguments& a) {
  Reading& reading = walked();
  const Reading::Loan explainer(reading);
  return reliable(render::baseline_json(assess::baseline_of(reports_of(*explainer, reading.names, a))));
}

std::string OpenSnapshot::triage(const std::vector<std::string>& only) {
  std::vector<std::string> known;
  for (const assess::CatalogueEntry& e : assess::triage_catalogue()) known.push_back(e.id);
  for (const std::string& id : only)
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw UsageError(fmt::format("there is no check `{}`; `egtrace triage --list` names them", id));
  Reading& reading = intended();
  const Reading::Loan explainer(reading);
  const parsers::Snapshot& snapshot = reading.snapshot;
  return reliable(
      render::triage_json(assess::triage(*explainer, only, parsers::dump_copies(snapshot.cluster, snapshot.collection))));
}

std::string OpenSnapshot::inspect() {
  const parsers::Snapshot& snapshot = as_dumped().snapshot;
  return reliable(render::inspect_json(explain::inspect(snapshot.cluster, snapshot.collection)));
}

std::string OpenSnapshot::lookup(const std::string& object) {
  if (object.empty()) throw UsageError("nothing to look up: the text is empty");
  return reliable(render::lookup_json(explain::look_up(as_dumped().snapshot.cluster, object)));
}

}  // namespace egt::python
