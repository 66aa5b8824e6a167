// ovs-ofctl dump-tlv-map: which tunnel option lies in which tun_metadata field.
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::TlvMapping;

constexpr std::string_view kFieldName = "tun_metadata";

bool read_mapping(std::string_view text, TlvMapping& m) {
  const std::vector<std::string_view> w = words(text);
  Number n[4];
  if (w.size() != 4 || !w[3].starts_with(kFieldName)) return false;
  for (std::size_t i = 0; i < 4; ++i)
    if (!read_number(i < 3 ? w[i] : w[3].substr(kFieldName.size()), n[i])) return false;
  if (n[0].value > 0xffff || n[1].value > 0xff || n[2].value > 0xff || n[3].value > 0xff) return false;
  m.option_class = static_cast<std::uint16_t>(n[0].value);
  m.type = static_cast<std::uint8_t>(n[1].value);
  m.length = static_cast<std::uint8_t>(n[2].value);
  m.index = static_cast<std::uint8_t>(n[3].value);
  return true;
}

void write_column(std::string text, std::size_t width, std::string& out) {
  if (text.size() < width) out.append(width - text.size(), ' ');
  out += text;
}

std::string hexadecimal(std::uint64_t v) {
  std::string out;
  write_hex(v, out);
  return out;
}

void write_mapping(const TlvMapping& m, std::string& out) {
  write_column(hexadecimal(m.option_class), 7, out);
  out += "  ";
  write_column(hexadecimal(m.type), 4, out);
  out += "  ";
  write_column(std::to_string(m.length), 6, out);
  (out += "  ") += kFieldName;
  write_decimal(m.index, out);
}

// Titles and sums.
bool is_frame(std::string_view text) {
  const std::string_view s = trim(text);
  return s.starts_with("max option space=") || s.starts_with("allocated option space=") || s == "mapping table:" ||
         s.starts_with("class  type") || s.starts_with("------");
}

LineResult print_map_line(std::string_view text, std::string& out) {
  TlvMapping m;
  if (is_frame(text)) {
    out += text;
    return LineResult::ignored;
  }
  if (!read_mapping(text, m)) return LineResult::no;
  write_mapping(m, out);
  return LineResult::understood;
}

void reprint_map(const Dump& dump, std::string& out, Report& report) { reprint_lines(dump, out, report, print_map_line); }

// "allocated option space=8": the sum of the options' lengths; none for other lines.
std::optional<std::uint64_t> allocated_space(std::string_view text) {
  std::string_view s = trim(text);
  Number n;
  if (!consume(s, "allocated option space=") || !read_number(s, n)) return std::nullopt;
  return n.value;
}

// Whether the whole map was there: its header, all options that it announces, and no line that was not understood.
bool read_map(const Dump& dump, Report& report, std::vector<TlvMapping>& map) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  bool whole = false, good = true;
  std::optional<std::uint64_t> announced;
  std::uint64_t found = 0;
  while (lines.next(line)) {
    ReplyHeader h;
    TlvMapping m;
    if (read_mapping(line.text, m)) {
      m.from = lines_report.at(line);
      map.push_back(m);
      found += m.length;
      lines_report.understood();
    } else if (is_filler(line.text) || is_frame(line.text) || read_reply_header(line.text, h)) {
      whole = whole || trim(line.text) == "mapping table:";
      if (const auto space = allocated_space(line.text)) announced = space;
      lines_report.ignored();
    } else {
      good = false;
      lines_report.not_understood(line, 1, "line not understood");
    }
  }
  return whole && good && (!announced || found == *announced);
}

void map_to_json(const Dump& dump, std::string& out, Report& report) {
  std::vector<TlvMapping> map;
  read_map(dump, report, map);
  Json list = Json::array();
  for (const TlvMapping& m : map)
    list.push_back(Json{{"line", m.from.line},
                        {"class", hexadecimal(m.option_class)},
                        {"type", hexadecimal(m.type)},
                        {"length", m.length},
                        {"field", std::string(kFieldName) + std::to_string(m.index)}});
  out += pretty(Json{{"mappings", list}}) + "\n";
}

void load_map(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<TlvMapping> map;
  const bool whole = read_map(dump, report, map);
  std::string name = bridge_of(dump, "dump-tlv-map");
  if (name.empty()) name = bridge_by_file_name(dump, node);
  if (name.empty()) name = kIntegrationBridge;
  if (map.empty() && !whole) return;
  if (const openflow::Bridge* known = node.bridge(name); known != nullptr && known->has_tlv_map) return;
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  bridge.has_tlv_map = whole && !dump.partial;
  bridge.tlv_map = std::move(map);
}

Recognition recognise_map(const Dump& dump) {
  Recognition r;
  r.confidence = confidence_by_header(dump, "TLV_TABLE_REPLY");
  if (r.confidence == 0 && command_has(dump, "ovs-ofctl dump-tlv-map")) r.confidence = 30;
  if (r.confidence > 0) r.topic = topic_of_bridge(dump, "tlv-map", bridge_of(dump, "dump-tlv-map"));
  r.quality = dump.partial ? -50 : 10;
  return r;
}

}  // namespace

const Format& dump_tlv_map_format() {
  static const Format format{
      "ovs-ofctl dump-tlv-map", "ovs-ofctl dump-tlv-map br-int", recognise_map, reprint_map, map_to_json, load_map};
  return format;
}

}  // namespace egt::parsers::ofctl
