#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "kube/documents.h"

namespace egt::parsers::kube {
namespace {

using Json = nlohmann::json;

// Characters of the text; counts the lines that the parser has passed.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::uint32_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *line_ += *at_++ == '\n';
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  std::uint32_t* line_;
};

struct Pending {
  Json object;
  Chunk where;
};

// Gives away each item as soon as it is complete, so that a file cut behind it still shows it.
class JsonReader {
 public:
  JsonReader(const Dump& dump, Report& report, const TakeObject& take)
      : dump_(dump), report_(report), take_(take), line_(dump.first_line) {}

  void read() {
    const char* begin = dump_.text.data();
    const char* end = begin + dump_.text.size();
    try {
      Json root = Json::parse(CountingIterator(begin, &line_), CountingIterator(end, &line_),
                              [this](int depth, Json::parse_event_t event, Json& parsed) {
                                return handle(static_cast<unsigned>(depth), event, parsed);
                              });
      finish(std::move(root));
    } catch (const Json::exception& e) {
      list_kind_.clear();
      broken(e.what());
      give_pending();
    }
    count_lines();
  }

 private:
  bool handle(unsigned depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kDepth) return false;
    if (event == Event::object_start) starts_[depth] = line_;
    if (event == Event::array_start && depth == 0) in_root_array_ = true;
    if (event == Event::key && depth == 1) key_ = parsed.is_string() ? parsed.get<std::string>() : std::string();
    if (event != Event::object_end) return true;
    const bool item = (in_root_array_ && depth == 1) || (depth == 2 && key_ == "items" && !in_root_array_);
    if (!item) return true;
    give(std::move(parsed), {starts_[depth], line_ - starts_[depth] + 1});
    return false;  // it is gone
  }

  void give(Json object, Chunk where) {
    if (object.contains("kind"))
      count(take_(object, where), where);
    else
      pending_.push_back({std::move(object), where});
  }

  void count(bool used, Chunk where) {
    if (used) understood_ += where.lines;
  }

  void finish(Json root) {
    if (!root.is_object()) return give_pending();
    const bool has_kind = root.contains("kind") && root["kind"].is_string();
    if (root.contains("items") || !pending_.empty()) {
      if (has_kind) list_kind_ = item_kind(root["kind"].get<std::string>());
      return give_pending();
    }
    const Chunk where{starts_[0], line_ - starts_[0] + 1};
    if (has_kind) count(take_(root, where), where);
  }

  void give_pending() {
    for (Pending& p : pending_) {
      if (list_kind_.empty()) continue;
      p.object["kind"] = list_kind_;
      p.object.emplace("apiVersion", "v1");
      count(take_(p.object, p.where), p.where);
    }
    pending_.clear();
  }

  void broken(const std::string& why) {
    const Provenance at{dump_.source, line_};
    report_.not_understood.push_back(at);
    report_.diagnostics.push_back({Diagnostic::Severity::warning, at, 0, "not understood as JSON: " + why, {}});
  }

  void count_lines() {
    const auto lines = static_cast<std::uint32_t>(std::count(dump_.text.begin(), dump_.text.end(), '\n') +
                                                  (dump_.text.ends_with('\n') || dump_.text.empty() ? 0 : 1));
    const auto broken_lines = static_cast<std::uint32_t>(report_.not_understood.size());
    understood_ = std::min(understood_, lines > broken_lines ? lines - broken_lines : 0);
    report_.lines += lines;
    report_.understood += understood_;
    report_.ignored += lines - std::min(lines, understood_ + broken_lines);
  }

  const Dump& dump_;
  Report& report_;
  const TakeObject& take_;
  std::uint32_t line_;
  std::uint32_t starts_[kDepth + 1] = {};
  std::uint32_t understood_ = 0;
  bool in_root_array_ = false;
  std::string key_, list_kind_;
  std::vector<Pending> pending_;
};

}  // namespace

void read_json(const Dump& dump, Report& report, const TakeObject& take) { JsonReader(dump, report, take).read(); }

bool looks_like_json(std::string_view text) {
  const std::string_view start = trim_left(text.substr(0, 4096));
  return start.starts_with('{') || start.starts_with('[');
}

std::string item_kind(std::string_view list_kind) {
  if (!list_kind.ends_with("List")) return {};
  list_kind.remove_suffix(4);
  return std::string(list_kind);
}

void read_objects(const Dump& dump, Report& report, const TakeObject& take, const WantKind& wants) {
  if (looks_like_json(dump.text)) return read_json(dump, report, take);
  read_yaml(
      dump, report,
      [&take](const nlohmann::json& object) { return [&take, object](Chunk where) { return take(object, where); }; }, wants);
}

void read_objects(const Dump& dump, Report& report, const BeginObject& begin, const WantKind& wants) {
  if (!looks_like_json(dump.text)) return read_yaml(dump, report, begin, wants);
  read_json(dump, report, [&begin](const nlohmann::json& object, Chunk where) {
    const EndObject end = begin(object);
    return end && end(where);
  });
}

}  // namespace egt::parsers::kube
