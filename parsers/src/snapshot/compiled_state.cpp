#include "snapshot/compiled_state.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "egtrace/base/text.h"
#include "snapshot/model_bytes.h"
#include "snapshot/port_texts.h"

namespace egt::parsers {
namespace {

bool is_name_char(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-'; }

std::uint32_t hash_of_word(std::string_view word) {  // FNV-1a
  std::uint32_t hash = 2166136261U;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

template <class Take>
void for_each_word(std::string_view text, Take take) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > at && !take(text.substr(at, end - at))) return;
    at = end + 1;
  }
}

// A Candidate, but for what the files themselves show.
struct KeptCandidate {
  std::uint64_t file = 0;
  std::string path, command;
  std::string_view text;
  std::uint32_t first_line = 1;
  bool partial = false, is_whole_file = false;  // of which more may have been found (FoundFile::compiled)
  std::string kind;                             // empty: no format recognised it
  int confidence = 0, quality = 0;
  std::string topic;
  std::string place, identity;
  bool by_link = false, within_node = false, central = false, succeeded = false;
  std::string host, pod, netns, node;
  std::int64_t time = 0;
  std::string why_partial, problem, note, superseded_by;
};

struct KeptNode {
  std::string name;
  std::vector<std::size_t> dumps;
  std::map<std::string, std::vector<std::size_t>> namespaces;
  host::Part<std::vector<host::Link>> links;
  bool may_be_router = true, may_answer_for_others = true, lacks_flows = false, has_pods_without_address = false;
  std::string_view words;
  std::uint64_t section = 0;
};

KeptCandidate kept(const Candidate& c, std::uint64_t number, const FoundFile& file) {
  KeptCandidate k;
  k.file = number;
  k.path = c.dump.path;
  k.command = c.dump.command;
  k.text = c.dump.text;
  k.first_line = c.dump.first_line;
  k.partial = c.dump.partial;
  k.is_whole_file = is_whole(c.dump, file);
  k.kind = c.format != nullptr ? std::string(c.format->kind) : std::string();
  k.confidence = c.how.confidence;
  k.quality = c.how.quality;
  k.topic = c.how.topic;
  k.place = c.place;
  k.identity = c.identity;
  k.by_link = c.by_link;
  k.within_node = c.within_node;
  k.central = c.central;
  k.succeeded = c.succeeded;
  k.host = c.host;
  k.pod = c.pod;
  k.netns = c.netns;
  k.node = c.node;
  k.time = c.time;
  k.why_partial = c.why_partial;
  k.problem = c.problem;
  k.note = c.note;
  k.superseded_by = c.superseded_by;
  return k;
}

bool lies_in(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

const Format* format_of_kind(const std::string& kind) {
  if (kind.empty()) return nullptr;
  const auto& all = all_formats();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Format* f) { return f->kind == kind; });
  if (found == all.end()) ModelReader::wrong();
  return *found;
}

Candidate restored(KeptCandidate&& k, const std::vector<FoundFile>& files, const std::shared_ptr<const void>& keep) {
  if (k.file >= files.size()) ModelReader::wrong();
  const FoundFile& file = files[k.file];
  Candidate c;
  c.dump.path = std::move(k.path);
  c.dump.command = std::move(k.command);
  c.dump.text = k.text;
  c.dump.first_line = k.first_line;
  c.dump.partial = k.partial;
  if (k.is_whole_file) c.dump.compiled = file.compiled;
  c.keep = keep;  // all texts are of one file
  c.format = format_of_kind(k.kind);
  c.how = {k.confidence, std::move(k.topic), k.quality};
  c.place = std::move(k.place);
  c.identity = std::move(k.identity);
  c.by_link = k.by_link;
  c.within_node = k.within_node;
  c.central = k.central;
  c.succeeded = k.succeeded;
  c.host = std::move(k.host);
  c.pod = std::move(k.pod);
  c.netns = std::move(k.netns);
  c.node = std::move(k.node);
  c.time = k.time;
  c.why_partial = std::move(k.why_partial);
  c.problem = std::move(k.problem);
  c.note = std::move(k.note);
  c.superseded_by = std::move(k.superseded_by);
  if (lies_in(c.dump.text, file.content.text)) c.unchecked = file.unchecked;
  return c;
}

std::vector<std::string_view> texts_of(const std::vector<FoundFile>& files) {
  std::vector<std::string_view> texts;
  texts.reserve(files.size());
  for (const FoundFile& file : files) texts.push_back(file.content.text);
  return texts;
}

}  // namespace

std::string MentionedWords::bytes_of(const std::vector<std::string_view>& texts) {
  std::vector<std::uint32_t> hashes;
  for (const std::string_view text : texts)
    for_each_word(text, [&](std::string_view word) {
      hashes.push_back(hash_of_word(word));
      return true;
    });
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return {reinterpret_cast<const char*>(hashes.data()), hashes.size() * sizeof(std::uint32_t)};
}

// Where a text has a name with no character of a name before and behind it, each run of such characters in the name is one of the
// text, too.
bool MentionedWords::may_have(std::string_view shown) const {
  const auto at = [&](std::size_t i) {
    std::uint32_t hash = 0;
    std::memcpy(&hash, hashes_.data() + i * sizeof hash, sizeof hash);
    return hash;
  };
  bool all = true;
  for_each_word(shown, [&](std::string_view word) {
    const std::uint32_t hash = hash_of_word(word);
    std::size_t begin = 0, end = hashes_.size() / sizeof hash;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (at(middle) < hash)
        begin = middle + 1;
      else
        end = middle;
    }
    return all = begin < hashes_.size() / sizeof hash && at(begin) == hash;
  });
  return all;
}

bool is_whole(const Dump& dump, const FoundFile& file) {
  return dump.text.data() == file.content.text.data() && dump.text.size() == file.content.text.size() && dump.first_line == 1;
}

struct StateWriter::Kept {
  ModelWriter out;
  const std::vector<Candidate>& candidates;
  std::vector<KeptNode> nodes;
  std::vector<std::string> words;  // which the nodes view
};

StateWriter::StateWriter(const std::vector<FoundFile>& files, const cluster::Cluster& cluster,
                         const cluster::Collection& collection, const std::vector<Candidate>& candidates) {
  const auto known = static_cast<SourceId>(cluster.sources->size());
  kept_ = std::make_shared<Kept>(Kept{ModelWriter(*cluster.sources, known, texts_of(files)), candidates, {}, {}});
  ModelWriter& out = kept_->out;
  std::unordered_map<std::string_view, std::uint64_t> by_path;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!by_path.emplace(files[i].path, i).second) throw std::runtime_error("two files of one path");
  out.number(known);
  out.number(files.size());
  out.number(candidates.size());
  for (const Candidate& c : candidates) {
    const auto file = by_path.find(c.place);
    if (file == by_path.end()) throw std::runtime_error("a dump of no file");
    out.put(kept(c, file->second, files[file->second]));
  }
  out.put(cluster.dumps);
  out.put(cluster.diagnostics);
  out.put(cluster.objects);
  out.put(collection.obfuscated_by);
  out.put(collection.collected_by);
  out.put(collection.missing);
  out.put(collection.translated_back);
}

void StateWriter::add(const NodeDumps& node, const KnownNode& known) {
  const auto places = [&](const std::vector<Candidate*>& dumps) {
    std::vector<std::size_t> all;
    for (const Candidate* c : dumps) all.push_back(static_cast<std::size_t>(c - kept_->candidates.data()));
    return all;
  };
  KeptNode k;
  k.name = node.name;
  k.dumps = places(node.dumps);
  for (const auto& [name, dumps] : node.namespaces) k.namespaces.emplace(name, places(dumps));
  k.links = known.outline.links;
  k.may_be_router = known.outline.may_be_router;
  k.may_answer_for_others = known.outline.may_answer_for_others;
  k.lacks_flows = known.lacks_flows;
  k.has_pods_without_address = known.has_pods_without_address;
  std::vector<std::string_view> texts;
  for (const Candidate* c : node.dumps)
    if (lists_ports(*c))
      for (const std::string_view piece : pieces_about_ports(c->dump.text)) texts.push_back(piece);
  kept_->words.push_back(MentionedWords::bytes_of(texts));
  k.section = known.section;
  kept_->nodes.push_back(std::move(k));
}

std::string StateWriter::take() {
  for (std::size_t i = 0; i < kept_->nodes.size(); ++i) kept_->nodes[i].words = kept_->words[i];
  kept_->out.put(kept_->nodes);
  return kept_->out.take();
}

OpenedSnapshot read_state(const std::vector<FoundFile>& files, const std::shared_ptr<const CompiledSections>& sections,
                          SourceTable& sources, SourceId known) {
  const auto keep = sections->keep();
  ModelReader in(sections->at(0), sources, 0, texts_of(files), keep);
  OpenedSnapshot opened;
  const std::uint64_t kept_known = in.number();
  if (in.number() != files.size()) ModelReader::wrong();
  const std::uint64_t count = in.count();
  if (known + count != kept_known) ModelReader::wrong();
  in.know(static_cast<SourceId>(kept_known));
  opened.candidates.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    KeptCandidate k;
    in.get(k);
    opened.candidates.push_back(restored(std::move(k), files, keep));
  }
  in.get(opened.dumps);
  if (opened.dumps.size() != count) ModelReader::wrong();
  for (std::size_t i = 0; i < count; ++i)
    if (opened.dumps[i].source != known + 1 + i) ModelReader::wrong();
  in.get(opened.diagnostics);
  in.get(opened.objects);
  in.get(opened.obfuscated_by);
  in.get(opened.collected_by);
  in.get(opened.missing);
  in.get(opened.translated_back);
  std::vector<KeptNode> nodes;
  in.get(nodes);
  const auto found = [&](const std::vector<std::size_t>& places) {
    std::vector<Candidate*> dumps;
    for (const std::size_t place : places) {
      if (place >= opened.candidates.size()) ModelReader::wrong();
      dumps.push_back(&opened.candidates[place]);
    }
    return dumps;
  };
  for (KeptNode& k : nodes) {
    OpenedNode& m = opened.nodes.emplace_back();
    m.node.name = std::move(k.name);
    m.node.dumps = found(k.dumps);
    for (const auto& [name, places] : k.namespaces) m.node.namespaces.emplace(name, found(places));
    if (k.section >= sections->size()) ModelReader::wrong();
    m.known = KnownNode{{std::move(k.links), k.may_be_router, k.may_answer_for_others},
                        k.lacks_flows,
                        k.has_pods_without_address,
                        MentionedWords(k.words),
                        sections,
                        k.section};
  }
  return opened;
}

}  // namespace egt::parsers
