// How text is printed, from the common options.
#pragma once

#include "command.h"
#include "egtrace/render/explain.h"

namespace egt::cli {

inline render::TextOptions text_options(const CommonOptions& common) {
  render::TextOptions text;
  text.colour = use_color(common);
  text.verbose = common.verbose;
  text.quiet = common.quiet;
  text.width = text_width(common);
  return text;
}

}  // namespace egt::cli
