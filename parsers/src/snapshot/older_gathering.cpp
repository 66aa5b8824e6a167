#include "snapshot/older_gathering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "egtrace/base/moment.h"
#include "egtrace/base/text.h"
#include "snapshot/layout.h"

namespace egt::parsers {
namespace {

// What one must-gather has: its dumps by their path in the folder of their image, which has another name after an upgrade.
struct MustGather {
  std::string folder;                            // with '/' behind it
  std::map<std::string_view, Candidate*> dumps;  // the first of each file
  std::int64_t time = 0;                         // of its newest file, seconds since 1970; 0: unknown
  const MustGather* newer = nullptr;
};

// One image's folder is named by its digest; those of one call lie side by side.
std::string gathering_of(const std::string& root) {
  const std::string_view folder = std::string_view(root).substr(0, root.size() - (root.ends_with('/') ? 1 : 0));
  const std::size_t slash = folder.rfind('/');
  const bool by_digest = folder.find("sha256-", slash == std::string_view::npos ? 0 : slash) != std::string_view::npos;
  return by_digest ? root.substr(0, slash == std::string_view::npos ? 0 : slash + 1) : root;
}

// "2026-03-01 12:00:00.123 +0000 UTC m=+0.04", as the file `timestamp` has it for begin and end.
std::int64_t time_in(std::string_view text) {
  std::int64_t last = 0;
  while (!text.empty()) {
    std::string line(next_line(text).substr(0, 19));
    if (line.size() != 19 || line[10] != ' ') continue;
    line[10] = 'T';
    const auto moment = parse_moment(line + "Z");
    if (moment && !moment->before_newest) last = std::max(last, moment->ms / 1000);
  }
  return last;
}

bool is_database(const Candidate& c) { return c.how.topic.starts_with("database OVN_"); }

std::map<std::string, MustGather> gatherings_of(std::vector<Candidate>& candidates) {
  std::map<std::string, MustGather> all;
  std::map<std::string, std::int64_t> written;  // as in `timestamp`
  for (Candidate& c : candidates) {
    const Root root = must_gather_root(c.place);
    if (!root.found) continue;
    const std::string folder = gathering_of(root.folder);
    MustGather& one = all.try_emplace(folder, MustGather{folder, {}, 0, nullptr}).first->second;
    if (c.format == nullptr) continue;
    one.dumps.emplace(std::string_view(c.place).substr(root.folder.size()), &c);
    one.time = std::max(one.time, c.time);
  }
  for (const Candidate& c : candidates) {
    if (!c.place.ends_with("timestamp")) continue;
    const std::string folder = gathering_of(c.place.substr(0, c.place.rfind('/') + 1));
    if (const auto found = all.find(folder); found != all.end())
      if (const std::int64_t time = time_in(c.dump.text); time != 0) written[folder] = std::max(written[folder], time);
  }
  for (const auto& [folder, time] : written) all[folder].time = time;
  return all;
}

using NewestWith = std::map<std::string_view, MustGather*>;  // by that path

// A pod's database has the pod's name, so that two of one name are two states of it. Where there is none, most files must be the same.
const MustGather* newer_than(const MustGather& older, const NewestWith& newest_with) {
  struct Common {
    std::size_t files = 0, databases = 0;
  };
  std::map<const MustGather*, Common> common;
  std::size_t databases = 0;
  for (const auto& [path, dump] : older.dumps) {
    databases += is_database(*dump);
    const auto other = newest_with.find(path);
    if (other == newest_with.end()) continue;
    Common& both = common[other->second];
    ++both.files;
    both.databases += is_database(*dump) && other->second->dumps.at(path)->dump.text != dump->dump.text;
  }
  const auto is_same_cluster = [&](const auto& entry) {
    return databases > 0 ? entry.second.databases > 0 : 2 * entry.second.files > older.dumps.size();
  };
  const auto found = std::find_if(common.begin(), common.end(), is_same_cluster);
  return found == common.end() ? nullptr : found->first;
}

std::string name_of(const MustGather& g) { return g.folder.empty() ? "the must-gather at the top" : g.folder; }

std::string left_out(const MustGather& g) {
  return fmt::format("{}: {} {}, which is read alone; name it by itself to ask about it", name_of(g),
                     g.time == g.newer->time ? "a must-gather of the same cluster as, and not known to be newer than,"
                                             : "an older must-gather of the same cluster than",
                     name_of(*g.newer));
}

}  // namespace

std::vector<std::string> leave_out_older_gatherings(std::vector<Candidate>& candidates) {
  std::map<std::string, MustGather> all = gatherings_of(candidates);
  if (all.size() < 2) return {};
  std::vector<MustGather*> by_age;
  for (auto& [folder, one] : all) by_age.push_back(&one);
  std::sort(by_age.begin(), by_age.end(),
            [](const MustGather* a, const MustGather* b) { return std::tie(a->time, a->folder) > std::tie(b->time, b->folder); });
  std::vector<std::string> sentences;
  NewestWith newest_with;
  for (MustGather* g : by_age) {
    g->newer = newer_than(*g, newest_with);
    if (g->newer != nullptr)
      sentences.push_back(left_out(*g));
    else
      for (const auto& [path, dump] : g->dumps) newest_with.try_emplace(path, g);
  }
  for (Candidate& c : candidates) {
    const Root root = must_gather_root(c.place);
    if (!root.found || c.format == nullptr) continue;
    const MustGather& own = all.at(gathering_of(root.folder));
    if (own.newer == nullptr) continue;
    c.note = "of an older must-gather than " + name_of(*own.newer);
    c.format = nullptr;
  }
  return sentences;
}

}  // namespace egt::parsers
