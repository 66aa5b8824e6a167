// Reads the logical flows of one southbound database: its symbols, address sets, port groups and DHCP options, in the
// language of the release that wrote it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/openflow/flow_table.h"
#include "egtrace/ovn/language.h"
#include "egtrace/ovn/ovn.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/parsers/ovn_lang.h"

namespace egt::parsers::ovn_lang {

// From what the database shows of the ovn-northd that wrote it, else from what its flows look like.
Dialect dialect_of(const ovn::Southbound& southbound);
// The release of ovn-northd that wrote the database, as year and month: {25, 3}; nothing where it is not shown.
struct Release {
  unsigned year = 0, month = 0;
  friend auto operator<=>(const Release&, const Release&) = default;
};
std::optional<Release> release_of(const ovn::Southbound& southbound);

class DatabaseReader : public ovn::FlowReader {
 public:
  explicit DatabaseReader(const ovn::Southbound& southbound);
  ~DatabaseReader() override;

  std::optional<ovn::NeededTerms> needed_terms(std::string_view match, std::uint32_t datapath_key) const override;
  std::optional<ovn::Expression> read_match(std::string_view text, std::uint32_t datapath_key) const override;
  std::optional<ovn::ReadActions> read_actions(std::string_view text, ovn::Pipeline pipeline, std::uint8_t table) const override;

  Result<FlowKey, TextError> read_microflow(std::string_view text,
                                            const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key) const;
  Result<std::string, TextError> inport_of(std::string_view text) const;
  const Dialect& dialect() const { return dialect_; }

 private:
  Environment environment(std::uint32_t datapath_key) const;

  Dialect dialect_;
  std::unique_ptr<SymbolTable> symbols_;
  ValueSets address_sets_, port_groups_;
  std::map<std::string, std::string, std::less<>> dhcp_options_, dhcpv6_options_;
};

// The rows that a walk needs, made complete from text where tables are missing: logical flows from lflow-list, datapaths
// and ports from whatever list mentioned them. `lacks` gets the tables that no dump showed whole ("MAC_Binding").
// `flows`, the node's OpenFlow flows where they are known, show tunnel keys that no list shows.
std::shared_ptr<const ovn::Southbound> complete_southbound(const ovn::Ovn& ovn, std::vector<std::string>& lacks,
                                                           const openflow::FlowTables* flows = nullptr);

// Logical flows of `ovn`, which must outlive it, ready to be read.
std::shared_ptr<const ovn::Program> program_of(const ovn::Ovn& ovn, const openflow::FlowTables* flows = nullptr);

// Reads those of every node; there is one.
std::shared_ptr<const ovn::Language> language();

}  // namespace egt::parsers::ovn_lang
