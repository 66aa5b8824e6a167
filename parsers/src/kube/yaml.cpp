#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "kube/block_yaml.h"
#include "kube/documents.h"
#include "support/lines.h"

namespace egt::parsers::kube {
namespace {

using Json = nlohmann::json;

class Converter {
 public:
  // Empty when the document is too deep or unfolds to too much.
  std::optional<Json> convert(const YAML::Node& root) {
    Json out = walk(root, 0);
    if (failed_) return std::nullopt;
    return out;
  }

 private:
  Json walk(const YAML::Node& node, unsigned depth) {
    if (depth > kDepth || ++count_ > kNodes) failed_ = true;
    if (failed_) return nullptr;
    if (node.IsScalar()) return node.Tag() == "?" ? plain_scalar(node.Scalar()) : Json(node.Scalar());
    if (node.IsSequence()) {
      Json all = Json::array();
      for (const YAML::Node& element : node) all.push_back(walk(element, depth + 1));
      return all;
    }
    if (!node.IsMap()) return nullptr;
    Json all = Json::object();
    for (const auto& member : node)
      if (member.first.IsScalar()) all[member.first.Scalar()] = walk(member.second, depth + 1);
    return all;
  }

  bool failed_ = false;
  std::size_t count_ = 0;
};

std::optional<Json> parse(const std::string& text, YamlFailure& failure) {
  if (auto simple = read_block_yaml(text)) return simple;
  return read_any_yaml(text, failure);
}

struct TextBlock {
  std::vector<Line> lines;
  std::uint32_t first_line() const { return lines.empty() ? 0 : lines.front().number; }
  std::string text(std::size_t count) const {
    std::string all;
    for (std::size_t i = 0; i < count && i < lines.size(); ++i) (all += lines[i].text) += '\n';
    return all;
  }
};

bool is_separator(std::string_view line) {
  return line == "---" || line == "..." || line.starts_with("--- ") || line.starts_with("---\t");
}

bool is_empty(std::string_view line) {
  const std::string_view trimmed = trim(line);
  return trimmed.empty() || trimmed.front() == '#';
}

std::size_t indent_of(std::string_view line) { return line.size() - trim_left(line).size(); }

// Splits the items of a block-style list off a document. `rest` keeps everything else.
struct Items {
  std::vector<TextBlock> items;
  TextBlock rest;
};

bool begins_items(std::string_view line) { return trim_right(line) == "items:"; }

// Lines of `items:` up to the first that is neither an item nor part of one.
Items split_items(const TextBlock& document) {
  Items split;
  bool inside = false;
  std::size_t indent = 0;
  for (const Line& line : document.lines) {
    if (!inside) {
      split.rest.lines.push_back(line);
      inside = begins_items(line.text) && split.items.empty();
      continue;
    }
    if (is_empty(line.text)) {
      if (!split.items.empty()) split.items.back().lines.push_back(line);
      continue;
    }
    const std::string_view body = trim_left(line.text);
    const bool dash = body == "-" || body.starts_with("- ");
    if (split.items.empty()) indent = indent_of(line.text);
    if (dash && indent_of(line.text) == indent) {
      split.items.emplace_back();
    } else if (indent_of(line.text) <= indent) {
      inside = false;
      split.rest.lines.push_back(line);
      continue;
    }
    if (!split.items.empty()) split.items.back().lines.push_back(line);
  }
  return split;
}

// The value of a top-level "kind:" line.
std::string kind_of(const TextBlock& block) {
  for (const Line& line : block.lines)
    if (line.text.starts_with("kind:")) return std::string(trim(line.text.substr(5)));
  return {};
}

// The kind that a block-style object shows at its first level, as plain text; empty where it shows none, or several.
std::string_view plain_kind(const TextBlock& block) {
  std::string_view kind;
  std::optional<std::size_t> level;
  for (const Line& line : block.lines) {
    if (is_empty(line.text)) continue;
    if (!level) level = indent_of(line.text);
    std::string_view body = line.text;
    if (indent_of(body) != *level) continue;
    body.remove_prefix(*level);
    if (!body.starts_with("kind:")) continue;
    if (!kind.empty()) return {};
    kind = trim(body.substr(5));
  }
  const bool plain = std::all_of(kind.begin(), kind.end(),
                                 [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return plain ? kind : std::string_view();
}

class YamlReader {
 public:
  YamlReader(const Dump& dump, Report& report, const BeginObject& begin, const WantKind& wants)
      : dump_(dump), report_(report), begin_(begin), wants_(wants) {}

  void read() {
    TextBlock document;
    LineReader reader(dump_);
    for (Line line; reader.next(line);) {
      if (!is_separator(line.text)) {
        document.lines.push_back(line);
        continue;
      }
      read_document(document);
      document = {};
      ignored(1);
    }
    read_document(document);
    warn_of_cut_end();
  }

 private:
  void read_document(const TextBlock& document) {
    const Items split = split_items(document);
    if (split.items.empty()) return read_block(document, {});
    const std::string kind = item_kind(kind_of(split.rest));
    read_items(split.items, kind);
    ignored(split.rest.lines.size());
  }

  // A thousand at a time are parsed on all processors, then delivered in their order.
  void read_items(const std::vector<TextBlock>& items, const std::string& kind) {
    constexpr std::size_t kAtATime = 1000, kWorthAThread = 16;
    for (std::size_t begin = 0; begin < items.size(); begin += kAtATime) {
      std::vector<Parsed> parsed(std::min(kAtATime, items.size() - begin));
      for_each_index(parsed.size(), dump_.jobs, kWorthAThread,
                     [&](std::size_t i) { parsed[i] = parse_item(items[begin + i], kind); });
      for (Parsed& one : parsed) take(std::move(one), kind);
    }
  }

  struct Parsed {
    std::shared_ptr<const std::string> first_line;  // where it is not the file's
    TextBlock block;
    bool wanted = false, understood = false;
    EndObject end;  // none: it is no object
    YamlFailure failure;
  };

  Parsed parse_item(TextBlock item, const std::string& kind) const {
    // Without its dash the item is a document of its own.
    std::string first(item.lines.front().text);
    first[first.find('-')] = ' ';
    const auto kept = std::make_shared<const std::string>(std::move(first));
    item.lines.front().text = *kept;
    Parsed parsed = parse_block(std::move(item), kind);
    parsed.first_line = kept;
    return parsed;
  }

  Parsed parse_block(TextBlock block, const std::string& kind) const {
    Parsed parsed;
    parsed.block = std::move(block);
    const auto& lines = parsed.block.lines;
    const bool empty = std::all_of(lines.begin(), lines.end(), [](const Line& line) { return is_empty(line.text); });
    parsed.wanted = !empty && is_wanted(parsed.block, kind);
    if (!parsed.wanted) return parsed;
    if (std::optional<Json> object = parse(parsed.block.text(lines.size()), parsed.failure)) {
      parsed.understood = true;
      parsed.end = begun(std::move(*object), kind);
    }
    return parsed;
  }

  EndObject begun(Json object, const std::string& kind) const {
    if (!object.is_object()) return {};
    if (!object.contains("kind") && !kind.empty()) object["kind"] = kind, object.emplace("apiVersion", "v1");
    return begin_(object);
  }

  void read_block(const TextBlock& block, const std::string& kind) { take(parse_block(block, kind), kind); }

  void take(Parsed parsed, const std::string& kind) {
    const TextBlock& block = parsed.block;
    if (!parsed.wanted) return ignored(block.lines.size());
    if (!parsed.understood) {
      broken(block, parsed.failure);
      std::optional<Json> object = block.lines.back().end.empty() ? parse_beginning(block) : std::nullopt;
      if (!object) return ignored(block.lines.size() - 1);
      parsed.end = begun(std::move(*object), kind);
    }
    deliver(parsed.end, block);
  }

  bool is_wanted(const TextBlock& block, std::string_view kind) const {
    if (!wants_) return true;
    const std::string_view own = plain_kind(block);
    if (!own.empty()) kind = own;
    return kind.empty() || kind.ends_with("List") || wants_(kind);
  }

  // A file that is cut breaks off within a line or a quoted text: what stands before may be whole.
  std::optional<Json> parse_beginning(const TextBlock& block) {
    constexpr std::size_t kTries = 8;
    YamlFailure failure;
    for (std::size_t cut = 1; cut <= kTries && cut < block.lines.size(); ++cut)
      if (auto object = parse(block.text(block.lines.size() - cut), failure)) return object;
    return std::nullopt;
  }

  void deliver(const EndObject& end, const TextBlock& block) {
    if (!end) return ignored(block.lines.size());
    const bool used = end({block.first_line(), static_cast<std::uint32_t>(block.lines.size())});
    report_.lines += static_cast<std::uint32_t>(block.lines.size());
    (used ? report_.understood : report_.ignored) += static_cast<std::uint32_t>(block.lines.size());
  }

  void broken(const TextBlock& block, const YamlFailure& failure) {
    const std::uint32_t line = std::min(block.first_line() + failure.line, block.lines.back().number);
    const Provenance at{dump_.source, line};
    ++report_.lines;
    report_.not_understood.push_back(at);
    if (report_.diagnostics.size() < kDiagnosticsKept)
      report_.diagnostics.push_back({Diagnostic::Severity::warning, at, 0, "not understood as YAML: " + failure.message, {}});
  }

  void ignored(std::size_t lines) {
    report_.lines += static_cast<std::uint32_t>(lines);
    report_.ignored += static_cast<std::uint32_t>(lines);
  }

  void warn_of_cut_end() {
    if (dump_.text.empty() || dump_.text.ends_with('\n')) return;
    report_.diagnostics.push_back({Diagnostic::Severity::note,
                                   {dump_.source, 0},
                                   0,
                                   "the file does not end with a line end: its last line may be cut",
                                   {}});
  }

  const Dump& dump_;
  Report& report_;
  const BeginObject& begin_;
  const WantKind& wants_;
};

}  // namespace

std::optional<nlohmann::json> read_any_yaml(const std::string& text, YamlFailure& failure) {
  try {
    if (auto doc = Converter().convert(YAML::Load(text))) return doc;
    failure = {0, "nested too deeply, or too large by its aliases"};
  } catch (const YAML::Exception& e) {
    failure = {e.mark.line > 0 ? static_cast<std::uint32_t>(e.mark.line) : 0, e.msg};
  }
  return std::nullopt;
}

void read_yaml(const Dump& dump, Report& report, const BeginObject& begin, const WantKind& wants) {
  YamlReader(dump, report, begin, wants).read();
}

}  // namespace egt::parsers::kube
