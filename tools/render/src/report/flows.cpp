// Flows of switches by bridge and table, or as trees by recirculation; sums of their counters.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "egtrace/base/text.h"
#include "flow_tree.h"
#include "flow_words.h"
#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using explain::FlowGroup;
using explain::FlowListing;
using explain::FlowReader;
using explain::FlowSum;
using explain::ListedFlow;
using openflow::FlowWord;
using openflow::FlowWords;

constexpr std::size_t kFewFlows = 40;  // so many are shown unfolded
constexpr std::size_t kMostGone = 50;  // of one dump

std::string number(std::string_view unit, const std::string& text) {
  return fmt::format("<span class=\"n{}\" data-unit=\"{}\">{}</span>", text == "0" ? " zero" : "", unit, text);
}

std::string count_of_group(std::size_t shown, std::size_t all, const explain::FlowCounters& counters) {
  return fmt::format("<span class=\"count\">{}{}, {} packets, {} bytes</span>", shown < all ? fmt::format("{} of ", shown) : "",
                     counted(all, "flow"), counters.packets, counters.bytes);
}

// One dump's flows.
class GroupPart {
 public:
  GroupPart(const FlowGroup& group, const FlowReader& reader, const std::string& snapshot, bool busiest, std::size_t& count)
      : group_(group), reader_(reader), snapshot_(snapshot), busiest_(busiest), count_(count) {}

  std::string print(std::size_t number) {
    const bool datapath = group_.bridge.empty();
    out_ = fmt::format(
        "<details class=\"group\" id=\"dump-{0}\" open><summary><b class=\"key\">{1} {2}</b> <span class=\"count\">{3}</span> <a "
        "class=\"self soft small\" href=\"#dump-{0}\">#</a></summary>\n<p class=\"soft small\">{4}</p>\n",
        number, escape_html(group_.node), escape_html(datapath ? "datapath" : group_.bridge),
        group_.found < group_.all ? fmt::format("{} of {} asked for", group_.found, counted(group_.all, "flow"))
                                  : counted(group_.all, "flow"),
        escape_html(group_.dump));
    if (group_.compared) out_ += fmt::format("<p class=\"small\">{}</p>\n", escape_html(comparison_words(*group_.compared)));
    left_out();
    if (datapath)
      tree();
    else
      tables();
    gone();
    return out_ + "</details>\n";
  }

 private:
  void left_out() {
    if (group_.flows.size() >= group_.found) return;
    out_ += fmt::format("<p class=\"small\">{} of them are shown{}; {} chooses others, <code>--top</code> more.</p>\n",
                        group_.flows.size(), busiest_ ? ", those that counted most packets" : "",
                        group_.bridge.empty() ? "<code>--filter</code>" : "<code>--table</code> or <code>--filter</code>");
  }

  void tables() {
    std::map<std::string, std::vector<const ListedFlow*>> by_table;
    for (const ListedFlow& flow : group_.flows) by_table[table_of(flow)].push_back(&flow);
    for (const explain::FlowTableCount& table : group_.tables) {
      const std::vector<const ListedFlow*>& flows = by_table[table.table];
      if (flows.empty()) {
        more_ += fmt::format("{}table {} ({})", more_.empty() ? "" : ", ", escape_html(table.table), table.flows);
        continue;
      }
      const std::string rate = table.rated == 0 ? std::string() : fmt::format(", {} packets/s", rate_number(table.rate.packets));
      out_ += fmt::format(
          "<details class=\"group\"{}><summary>table {} <span class=\"soft\">{}</span> {}<span "
          "class=\"count\">{}</span></summary>\n<div class=\"flows\">\n",
          group_.flows.size() <= kFewFlows ? " open" : "", escape_html(table.table), escape_html(stages_of(flows)),
          count_of_group(flows.size(), table.flows, table.counters), rate);
      columns();
      for (const ListedFlow* flow : flows) item(*flow);
      out_ += "</div>\n</details>\n";
    }
    if (!more_.empty()) out_ += fmt::format("<p class=\"small soft\">No flow is shown of {}.</p>\n", more_);
  }

  std::string table_of(const ListedFlow& flow) const {
    FlowWords words;
    reader_.words(flow.text, words);
    const FlowWord* table = words.find(FlowWord::Section::info, "table");
    return table != nullptr ? std::string(table->value) : "0";
  }

  // A table is a stage of switches and one of routers.
  static std::string stages_of(const std::vector<const ListedFlow*>& flows) {
    std::set<std::string> stages;
    for (const ListedFlow* flow : flows)
      if (!flow->meaning.stage.empty()) stages.insert(flow->meaning.stage);
    return fmt::format("{}", fmt::join(stages, ", "));
  }

  void columns() {
    out_ += "<div class=\"columns\"><span class=\"n\">packets</span><span class=\"n\">bytes</span>";
    if (group_.compared) out_ += "<span class=\"n\">packets/s</span><span class=\"n\">bytes/s</span>";
    out_ += "<span>match \xe2\x86\x92 actions</span></div>\n";
  }

  void tree() {
    out_ += "<div class=\"flows\">\n";
    columns();
    std::size_t open = 0;  // blocks
    for (const FlowTreeLine& line : flow_tree(group_)) {
      for (; open > line.depth - (line.kind == FlowTreeLine::Kind::flow || line.depth == 0 ? 0 : 1); --open)
        out_ += "</div>\n</details>\n";
      if (line.kind == FlowTreeLine::Kind::flow) {
        if (const std::string why = root_words(group_.flows[line.index]); line.depth == 0 && !why.empty())
          out_ += fmt::format("<p class=\"small soft\">{}</p>\n", escape_html(why));
        item(group_.flows[line.index]);
        continue;
      }
      const std::string words = escape_html(recirculation_words(group_.blocks[line.index], line.kind));
      if (line.kind == FlowTreeLine::Kind::block) {
        out_ +=
            fmt::format("<details class=\"beneath\" open><summary class=\"small\">{}</summary>\n<div class=\"flows\">\n", words);
        ++open;
      } else {
        out_ += fmt::format("<p class=\"beneath plain small\">{}</p>\n", words);
      }
    }
    for (; open > 0; --open) out_ += "</div>\n</details>\n";
    out_ += "</div>\n";
  }

  // In place of a rate that there is none of, what became of the flow in one word.
  std::string rates(const ListedFlow& flow) const {
    if (!group_.compared) return {};
    if (flow.rate) return number("packets/s", rate_number(flow.rate->packets)) + number("bytes/s", rate_number(flow.rate->bytes));
    const bool fresh = flow.change == explain::FlowChange::here_alone && group_.compared->basis != explain::IntervalBasis::none &&
                       group_.compared->seconds > 0;
    const std::string_view word = fresh                                           ? "new"
                                  : flow.change == explain::FlowChange::backwards ? "backwards"
                                  : flow.change == explain::FlowChange::anew      ? "added again"
                                                                                  : "\xe2\x80\x93";
    return fmt::format("<span class=\"n soft\">{}</span><span class=\"n soft\">\xe2\x80\x93</span>", word);
  }

  void item(const ListedFlow& flow) {
    FlowWords words;
    reader_.words(flow.text, words);
    const std::string id = fmt::format("flow-{}", ++count_);
    const std::string match = group_.bridge.empty() ? datapath_match(words, reader_)
                              : words.match.empty() ? "any packet"
                                                    : std::string(words.match);
    out_ += fmt::format(
        "<details class=\"item flow{0}{1}\" id=\"{2}\" data-packets=\"{3}\"><summary>{4}{5}{6}<code class=\"what\">{7} <span "
        "class=\"arrow\">\xe2\x86\x92</span> {8}</code> "
        "<a class=\"self soft small\" href=\"#{2}\">#{9}</a></summary>\n<div class=\"inside\">\n<dl class=\"facts\">\n",
        flow.counters.packets > 0 ? " counted" : "", flow.highlighted ? " marked" : "", id, flow.counters.packets,
        number("packets", fmt::to_string(flow.counters.packets)), number("bytes", fmt::to_string(flow.counters.bytes)),
        rates(flow), cut(match), cut(std::string(datapath_actions(words.actions))), count_);
    facts(flow, words);
    out_ += fmt::format("</dl>\n<p>{}</p>\n", command(trim(flow.text)));
    again(words);
    out_ += "</div>\n</details>\n";
  }

  void fact(const char* name, const char* kind, const std::string& text) {
    if (!text.empty())
      out_ += fmt::format("<dt>{}</dt><dd{}>{}</dd>\n", name, *kind == '\0' ? "" : fmt::format(" class=\"{}\"", kind), cut(text));
  }

  void facts(const ListedFlow& flow, const FlowWords& words) {
    const explain::FlowMeaning& m = flow.meaning;
    if (group_.compared) fact("since", "", change_words(flow, *group_.compared));
    fact("OVN datapath", "by-datapath", m.datapath);
    fact("stage", "", m.stage);
    fact("logical flow", "by-lflow", m.logical_flow);
    for (const std::string& row : m.rows) fact("row", "", row);
    for (const std::string& object : m.objects) fact("object", "by-object", object);
    for (const char* key : {"duration", "idle_age", "used"})
      if (const FlowWord* word = words.find(FlowWord::Section::info, key)) fact(key, "", std::string(word->value));
    fact("from", "", fmt::format("{}:{}", group_.dump, flow.from.line));
  }

  // The command that lists what was made for the same thing.
  void again(const FlowWords& words) {
    const FlowWord* cookie = words.find(FlowWord::Section::info, "cookie");
    if (group_.bridge.empty() || cookie == nullptr || parse_u64(cookie->value).value_or(0) == 0) return;
    out_ += fmt::format("<p class=\"small\">{}</p>\n", command(fmt::format("egtrace flows {} --bridge {} --filter cookie={}",
                                                                           snapshot_, group_.bridge, cookie->value)));
  }

  void gone() {
    if (!group_.compared || group_.compared->there_alone.empty()) return;
    const auto& all = group_.compared->there_alone;
    out_ += fmt::format(
        "<details class=\"group\"><summary>in the other dump alone <span class=\"count\">{}</span></summary>\n<div "
        "class=\"flows\">\n",
        counted(all.size(), "flow"));
    for (std::size_t i = 0; i < std::min(all.size(), kMostGone); ++i)
      out_ += fmt::format("<p class=\"small\"><code>{}</code> <span class=\"source\">{}:{}</span></p>\n",
                          cut(std::string(trim(all[i].text))), escape_html(group_.compared->dump), all[i].line);
    if (all.size() > kMostGone)
      out_ += fmt::format("<p class=\"small\">and {} more; <code>egtrace flows --format json</code> lists all</p>\n",
                          all.size() - kMostGone);
    out_ += "</div>\n</details>\n";
  }

  const FlowGroup& group_;
  const FlowReader& reader_;
  const std::string& snapshot_;
  bool busiest_;
  std::size_t& count_;
  std::string out_, more_;
};

std::string controls(const FlowListing& listing) {
  std::string out = "<p class=\"controls script\" hidden>";
  if (listing.kind == explain::FlowKind::openflow)
    out +=
        "<label>Group by <select id=\"flows-by\"><option value=\"\">bridge and table</option><option value=\"lflow\">logical "
        "flow</option><option value=\"object\">object</option>"
        "<option value=\"datapath\">OVN datapath</option></select></label> ";
  return out +
         "<label>Show <select id=\"flows-show\"><option value=\"\">all flows</option><option value=\"counted\">those that "
         "counted packets</option>"
         "<option value=\"marked\">those highlighted</option></select></label> <button id=\"flows-open\" type=\"button\" "
         "aria-pressed=\"false\">Open all groups</button></p>\n";
}

std::string sum_row(const FlowSum& sum, const FlowListing& listing) {
  std::string out = "<tr>";
  const auto cell = [&](const std::string& text) { out += fmt::format("<td class=\"n\">{}</td>", text); };
  if (listing.kind != explain::FlowKind::logical) {
    cell(fmt::to_string(sum.packets));
    cell(fmt::to_string(sum.bytes));
  }
  if (listing.has_rates)
    for (const double rate : {sum.rate.packets, sum.rate.bytes}) cell(sum.rated == 0 ? "\xe2\x80\x93" : rate_number(rate));
  cell(fmt::to_string(sum.flows));
  const std::string rated = listing.has_rates && sum.rated > 0 ? rated_words(sum.rated, sum.flows) : std::string();
  return out + fmt::format("<td class=\"key\">{}{}</td></tr>\n", cut(sum.key),
                           rated.empty() ? "" : fmt::format(" <span class=\"soft\">{}</span>", rated));
}

std::string sums(const FlowListing& listing) {
  const bool logical = listing.kind == explain::FlowKind::logical;
  std::string out;
  for (const FlowGroup& group : listing.groups)
    if (group.compared)
      out += fmt::format("<p class=\"small\">{} {}: {}</p>\n", escape_html(group.node), escape_html(group.bridge),
                         escape_html(comparison_words(*group.compared)));
  out += "<div class=\"wide\"><table class=\"list sums\"><thead><tr>";
  if (!logical) out += "<th class=\"n\">packets</th><th class=\"n\">bytes</th>";
  if (listing.has_rates) out += "<th class=\"n\">packets/s</th><th class=\"n\">bytes/s</th>";
  out += fmt::format("<th class=\"n\">{}</th><th>of</th></tr></thead><tbody>\n", logical ? "logical flows" : "flows");
  for (const FlowSum& sum : listing.sums) out += sum_row(sum, listing);
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string flows_part(const Report& report) {
  const FlowListing& listing = *report.flows;
  std::size_t found = 0;
  for (const FlowGroup& group : listing.groups) found += group.found;
  std::string out =
      "<section data-part=\"flows\">\n" + heading("flows", "Flows", listing.sums.empty() ? found : listing.sums.size());
  if (!listing.sums.empty()) return out + sums(listing) + "</section>\n";
  if (listing.groups.empty()) return out + "<p>None of the flows is one of those that were asked for.</p>\n</section>\n";
  out += controls(listing);
  out += fmt::format("<div id=\"flow-list\"{}>\n", listing.has_rates ? " class=\"rated\"" : "");
  std::size_t count = 0;
  for (std::size_t i = 0; i < listing.groups.size(); ++i)
    out += GroupPart(listing.groups[i], *report.flow_reader, report.dumped.name, listing.busiest, count).print(i + 1);
  return out + "</div>\n</section>\n";
}

}  // namespace egt::render::report
