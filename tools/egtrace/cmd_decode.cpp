// egtrace decode VALUE...: what a number or an assignment out of a flow means; needs no snapshot.
#include <memory>

#include "command.h"
#include "egtrace/render/decode.h"

namespace egt::cli {
namespace {

constexpr const char* kDecodeFooter =
    "Examples:\n"
    "  egtrace decode 0x64580003\n"
    "  egtrace decode 'load:0x64580003->NXM_NX_XXREG0[96..127]' 0a:58:64:58:00:02\n"
    "  egtrace decode --ovn 25.03 table=25 pkt_mark=0x3f0\n";

struct DecodeOptions {
  CommonOptions common;
  explain::DecodeOptions decode;
  std::vector<std::string> values;
};

ExitStatus run_decode(const DecodeOptions& o) {
  std::vector<render::DecodedValue> values;
  bool known = false;
  for (const std::string& value : o.values) {
    values.push_back({value, explain::decode_value(value, o.decode)});
    known |= !values.back().meanings.empty();
  }
  write_output(o.common,
               o.common.format == "json" ? render::decode_json(values) : render::decode_text(values, text_width(o.common)));
  return known ? ExitStatus::done : ExitStatus::inconclusive;
}

}  // namespace

void add_decode(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<DecodeOptions>();
  CLI::App* verb = app.add_subcommand("decode", "show what register values, marks, MACs, states and table numbers mean");
  verb->add_option("values", options->values, "values, assignments, fields or stage names")->required();
  verb->add_option("--ovn", options->decode.ovn, "OVN release whose tables count (25.03, 25.03.1); default: all");
  add_common_options(*verb, options->common, {"text", "json"});
  verb->footer(kDecodeFooter);
  verb->callback([options, &status] { status = run_decode(*options); });
}

}  // namespace egt::cli
