#include "report/evidence_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {

EvidenceBook::EvidenceBook(const DumpedSnapshot& dumped, std::string name) : dumped_(dumped), name_(std::move(name)) {
  if (dumped.inspection == nullptr) return;
  for (const explain::NodeReport& node : dumped.inspection->nodes)
    for (const explain::DumpReport& dump : node.dumps) known_.emplace(dump.path, &dump);
  for (const explain::DumpReport& dump : dumped.inspection->objects) known_.emplace(dump.path, &dump);
}

std::string EvidenceBook::id_of(std::size_t number) const {
  return fmt::format("{}{}", name_.empty() ? "e" : name_ + "-e", number);
}
std::string EvidenceBook::shown_path(const std::string& path) const {
  return escape_html(name_.empty() ? path : name_ + ": " + path);
}

std::string EvidenceBook::line(const explain::EvidenceLine& line) {
  const auto [known, fresh] = ids_.try_emplace(place_of(line) + '\n' + line.text, ids_.size() + 1);
  if (fresh) {
    ++count_;
    Dump& dump = dumps_[line.dump];
    dump.entries.push_back({known->second, line});
    if (dumped_.lines_around)
      for (explain::DumpLine& near : dumped_.lines_around(line)) dump.context.try_emplace(near.number, std::move(near));
  }
  return fmt::format("<p class=\"source\"><a class=\"evidence\" href=\"#{}\">{}</a></p><pre>{}</pre>\n", id_of(known->second),
                     shown_path(place_of(line)), cut(line.text));
}

std::string EvidenceBook::lines(const explain::Evidence& evidence) {
  std::string out;
  for (const explain::EvidenceLine& e : evidence) out += line(e);
  return out;
}

std::string EvidenceBook::dump_head(const std::string& path) const {
  const auto found = known_.find(path);
  std::string out = fmt::format("<h3>{}</h3>\n", shown_path(path));
  if (found == known_.end()) return out;
  const explain::DumpReport& d = *found->second;
  out += fmt::format("<p class=\"soft small\">printed by <code class=\"command\">{}</code>{}{}{}</p>\n",
                     escape_html(command_of(d)), d.tool.empty() ? "" : ", " + escape_html(d.tool),
                     d.time.empty() ? "" : ", " + escape_html(d.time), d.partial ? ", an excerpt" : "");
  return out;
}

// Lines that follow each other stand in one list; evidence among them is marked.
std::string EvidenceBook::windows(const Dump& dump) const {
  std::map<std::uint32_t, std::size_t> ids;
  std::string alone;
  for (const NumberedLine& e : dump.entries) {
    const auto context = dump.context.find(e.line.line);
    if (context != dump.context.end() && e.line.table.empty())
      ids.emplace(e.line.line, e.id);
    else
      alone += fmt::format("<li id=\"{}\" class=\"hit\" data-line=\"{}\"><code>{}</code></li>\n", id_of(e.id), e.line.line,
                           cut(e.line.text));
  }
  std::string out;
  std::uint32_t before = 0;
  for (const auto& [number, line] : dump.context) {
    if (out.empty() || number != before + 1) out += out.empty() ? "<ol class=\"lines\">\n" : "</ol>\n<ol class=\"lines\">\n";
    const auto id = ids.find(number);
    const std::string cut_mark = line.cut ? "<span class=\"soft\"> \xe2\x80\xa6</span>" : "";
    if (id == ids.end())
      out += fmt::format("<li data-line=\"{}\"><code>{}{}</code></li>\n", number, escape_html(line.text), cut_mark);
    else
      out += fmt::format("<li id=\"{}\" class=\"hit\" data-line=\"{}\"><code>{}{}</code></li>\n", id_of(id->second), number,
                         escape_html(line.text), cut_mark);
    before = number;
  }
  if (!out.empty()) out += "</ol>\n";
  return alone.empty() ? out : out + "<ol class=\"lines\">\n" + alone + "</ol>\n";
}

std::string EvidenceBook::print() const {
  std::string out;
  for (const auto& [path, dump] : dumps_) out += "<article class=\"dump\">\n" + dump_head(path) + windows(dump) + "</article>\n";
  return out;
}

}  // namespace egt::render::report
