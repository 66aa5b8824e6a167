#include "egtrace/render/baseline.h"

#include <fmt/format.h>

#include <exception>

#include "json_parts.h"

namespace egt::render {
namespace {

using assess::KnownFailure;

constexpr const char* kBaselineSchema = "egtrace.baseline/1";

Json failure_json(const KnownFailure& f) {
  return {{"fingerprint", f.fingerprint},     {"name", f.name}, {"from", f.from}, {"to", f.to},
          {"reason", text_or_null(f.reason)}, {"why", f.why}};
}

// Throws where the file is not as it was written.
KnownFailure failure_of(const Json& j) {
  const auto text = [&](const char* key) { return j.at(key).get<std::string>(); };
  return {text("fingerprint"), text("name"), text("from"), text("to"), j.at("reason").is_null() ? std::string() : text("reason"),
          text("why")};
}

// What the file is, in a few words, where it is no baseline.
std::string kind_of(const Json& j) {
  if (!j.is_object() || !j.contains("schema") || !j["schema"].is_string()) return "JSON of another kind";
  return "`" + j["schema"].get<std::string>() + "`";
}

}  // namespace

std::string baseline_json(const assess::Baseline& baseline) {
  Json j = {{"schema", kBaselineSchema}, {"verb", "check"}, {"failures", Json::array()}};
  for (const KnownFailure& f : baseline) j["failures"].push_back(failure_json(f));
  return dump_json(j);
}

Result<assess::Baseline> read_baseline(std::string_view text) {
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded())
    return Error{"this is no baseline, not even JSON; write one with `egtrace check ... --write-baseline FILE`"};
  if (!j.is_object() || !j.contains("schema") || j["schema"] != kBaselineSchema)
    return Error{fmt::format("this is no baseline but {}; write one with `egtrace check ... --write-baseline FILE`", kind_of(j))};
  try {
    assess::Baseline baseline;
    for (const Json& f : j.at("failures")) baseline.push_back(failure_of(f));
    return baseline;
  } catch (const std::exception& broken) {
    return Error{fmt::format("this baseline is broken: {}; write it anew with `--write-baseline FILE`", broken.what())};
  }
}

}  // namespace egt::render
