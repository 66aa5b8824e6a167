// Which dump and line a fact is from, in the bytes of a compiled snapshot (model_bytes.h): counted from the fact before.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "snapshot/text_bytes.h"

namespace egt::parsers {

class ProvenanceWriter {
 public:
  // Sources up to `known` are there before the bytes are read; others are named.
  ProvenanceWriter(const SourceTable& sources, SourceId known)
      : sources_(sources), known_(known), named_(std::make_shared<NamedSources>()) {}
  // For what is to be read without what was written before it; it names sources with this one.
  ProvenanceWriter part() const;

  void put(const Provenance& p, TextWriter& out);
  const SourceTable& sources() const { return sources_; }
  SourceId known() const { return known_; }
  const std::vector<SourceId>& named() const { return named_->all; }

 private:
  struct NamedSources {                                   // that are not known; all rows of a table are, where one is
    std::unordered_map<SourceId, std::uint64_t> numbers;  // by the first one's
    std::vector<SourceId> all;
    std::uint64_t count = 0;
  };

  std::uint64_t number_of(SourceId id);

  const SourceTable& sources_;
  SourceId known_;
  std::shared_ptr<NamedSources> named_;
  Provenance last_;
  std::uint64_t last_number_ = 0;  // of a source that is not known
  SourceTable::RowSources near_;   // rows among which the last one was
  std::uint64_t near_number_ = 0;  // of the first of them
};

class ProvenanceReader {
 public:
  explicit ProvenanceReader(SourceId known) : known_(known), added_(std::make_shared<AddedSources>()) {}
  // Of bytes that were written without what stands before them.
  ProvenanceReader part() const;

  // Sources that will be there, though they are not so far.
  void know(SourceId known) { known_ = known; }
  void reserve(std::uint64_t sources) { added_->all.reserve(sources); }
  // The next sources that the bytes name.
  void add(SourceId first, std::uint64_t count);
  Provenance get(TextReader& in);
  void start();

 private:
  struct Added {
    std::uint64_t number = 0;  // of the first
    SourceId first = kNoSource;
  };
  struct AddedSources {
    std::vector<Added> all;
    std::uint64_t count = 0;
  };

  SourceId source_with(std::uint64_t number) const;

  SourceId known_;
  std::shared_ptr<AddedSources> added_;
  Provenance last_;
  std::uint64_t last_number_ = 0;
};

}  // namespace egt::parsers
