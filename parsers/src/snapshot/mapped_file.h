// Files as memory. Where another process cuts a file short while it is read, some addresses have no bytes any more, and
// reading there is SIGBUS: the names of mapped files are kept for a handler that prints them.
#pragma once

#include <sys/stat.h>

#include <string>

#include "egtrace/parsers/content.h"

namespace egt::parsers {

constexpr const char* kChangedWhileRead = "changed while it was read; run it again once it is no longer written to";

// Without content: it cannot be mapped.
Content map_file(int fd, const struct stat& info, const std::string& path);

}  // namespace egt::parsers
