// The format "ovsdb database": database files as ovsdb-server keeps them, standalone and clustered.
#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::ovsdb {

const Format& database_format();

}  // namespace egt::parsers::ovsdb
