// ipsec whack --listall, --listcerts and --listcacerts (libreswan 3 to 5: show_cert_detail() of programs/pluto/x509.c): the certificates of the
// IKE daemon, with the times between which they are valid. Printed back as they stand.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "egtrace/base/moment.h"
#include "egtrace/base/text.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using host::IpsecCertificate;

// `Root CA certificate "ovs_cert_cacert" - SN: 0x01`; lines of libreswan 3 and 4 may have a number of three digits in front.
std::optional<IpsecCertificate> certificate_in(std::string_view line) {
  constexpr std::string_view kBefore = " certificate \"", kBehind = "\" - SN: ";
  const std::size_t before = line.find(kBefore), name = before + kBefore.size(), end = line.find(kBehind);
  if (before == line.npos || end == line.npos || end < name) return std::nullopt;
  const std::string_view kind = line.substr(0, before);
  if (!kind.ends_with("End") && !kind.ends_with("CA")) return std::nullopt;
  IpsecCertificate c;
  c.name = std::string(line.substr(name, end - name));
  return c;
}

// "Sat Mar 01 12:00:00 2026", always in UTC: seconds since 1970.
std::optional<std::int64_t> seconds_of(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto parts = words(text);
  if (parts.size() != 5 || parts[1].size() != 3) return std::nullopt;
  const std::size_t month = kMonths.find(parts[1]);
  const auto day = parse_decimal(parts[2]);
  if (month == kMonths.npos || month % 3 != 0 || !day || *day > 31) return std::nullopt;
  const auto moment = parse_moment(fmt::format("{}-{:02}-{:02}T{}Z", parts[4], month / 3 + 1, *day, parts[3]));
  return moment ? std::optional(moment->ms / 1000) : std::nullopt;
}

std::string_view behind(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  return at == line.npos ? std::string_view() : line.substr(at + key.size());
}

// Of the certificate that was named last.
enum class Detail : std::uint8_t { none, read, wrong };
Detail read_detail(std::string_view line, IpsecCertificate& c) {
  for (const auto& [key, time] : {std::pair{"  not before: ", &c.not_before}, std::pair{"  not after: ", &c.not_after}})
    if (const std::string_view text = behind(line, key); !text.empty()) {
      const auto seconds = seconds_of(text);
      if (!seconds) return Detail::wrong;
      *time = *seconds;
      return Detail::read;
    }
  return Detail::none;
}

std::vector<IpsecCertificate> read(const Dump& dump, Report& report) {
  std::vector<IpsecCertificate> all;
  LineReport counts(dump, report);
  LineReader lines(dump);
  for (Line line; lines.next(line);) {
    if (auto c = certificate_in(line.text)) {
      c->from = counts.at(line);
      all.push_back(std::move(*c));
      counts.understood();
      continue;
    }
    const Detail detail = all.empty() ? Detail::none : read_detail(line.text, all.back());
    if (detail == Detail::read)
      counts.understood();
    else if (detail == Detail::wrong)
      counts.not_understood(line, 1, "the time of this certificate");
    else
      counts.ignored();
  }
  return all;
}

Recognition recognise(const Dump& dump) {
  const std::string_view text = dump.text.substr(0, 65536);
  if (text.find("List of X.509 ") == text.npos || text.find(" Certificates:") == text.npos) return {};
  return {90, topic_of(dump, "ipsec certificates", is_other_namespace(dump)), dump.partial ? 1 : 10};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read(dump, report);
  out += dump.text;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  const auto shown = [](std::int64_t seconds) { return seconds == 0 ? std::string() : utc_text(seconds * 1000); };
  Json all = Json::array();
  for (const IpsecCertificate& c : read(dump, report))
    all.push_back(
        {{"line", c.from.line}, {"name", c.name}, {"not_before", shown(c.not_before)}, {"not_after", shown(c.not_after)}});
  append_json(Json{{"certificates", std::move(all)}}, out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  node.host.ipsec_certificates = read(dump, report);
}

}  // namespace

const Format& ipsec_certificates_format() {
  static const Format format{"ipsec certificates", "ipsec whack --listall", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
