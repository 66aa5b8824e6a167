#include "snapshot/model_bytes.h"

namespace egt::parsers {

using namespace model_bytes;

namespace {

// What is true of a logical flow.
constexpr std::uint64_t kIngress = 1, kAsInUuid = 2, kHasOrigin = 4;

std::optional<std::uint32_t> prefix_in(std::string_view uuid) {
  const std::uint32_t prefix = ovn::uuid_prefix(uuid);
  return prefix != 0 ? std::optional(prefix) : std::nullopt;
}

}  // namespace

ModelWriter::ModelWriter(const SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
                         std::shared_ptr<const WordPlaces> words)
    : texts_(std::move(dumps), std::move(words)), provenance_(sources, known) {}

// What all but a few share is not written: the prefix is that of the UUID.
void ModelWriter::logical_flow(const ovn::LogicalFlow& f) {
  static_assert(kMembers<ovn::LogicalFlow> == 11, "a member is missing here");
  const bool as_in_uuid = f.uuid_prefix == prefix_in(f.uuid);
  const std::uint64_t is = (f.ingress ? kIngress : 0U) | (as_in_uuid ? kAsInUuid : 0U) | (f.origin ? kHasOrigin : 0U);
  number(is), put(f.datapath), put(f.table), put(f.stage), put(f.priority), put(f.match), put(f.actions);
  put(f.uuid), put(f.from);
  if (!as_in_uuid) put(f.uuid_prefix);
  if (f.origin) put(*f.origin);
}

void ModelWriter::rows(const ovn::Rows& all) {
  static_assert(kMembers<ovn::Row> == 5, "a member is missing in put() and get()");
  number(all.tables().size());
  for (const ovn::Rows::Table& table : all.tables()) {
    put(table.database()), put(table.name());
    row_list(table.rows());
  }
}

void ModelWriter::source(SourceId first) {
  const Source source = provenance_.sources().at(first);
  const SourceTable::RowSources rows = provenance_.sources().rows_with(first);
  texts_.text(source.path);
  texts_.text(source.table);
  if (rows.rows == nullptr) return texts_.view(source.text), number(source.first_line);
  number(rows.count);
  part(rows.rows->get());
}

std::string ModelWriter::take() {
  ModelWriter sources(texts_.part(false), ProvenanceWriter(provenance_.sources(), provenance_.known()));
  sources.number(provenance_.named().size());
  for (const SourceId id : provenance_.named()) sources.source(id);
  return sources.texts_.bytes() + texts_.bytes();
}

ModelReader::ModelReader(std::string_view bytes, SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
                         std::shared_ptr<const void> keep, std::vector<std::shared_ptr<const CompiledDump>> unchecked)
    : texts_(bytes, std::move(dumps), std::move(keep), std::move(unchecked)), provenance_(known) {
  const std::uint64_t n = count();
  provenance_.reserve(n);
  Name path;  // of several tables the same
  for (std::uint64_t i = 0; i < n; ++i) source(sources, path);
  texts_.restart();  // those of facts are numbered by themselves
}

ModelReader::ModelReader(const ModelReader& whole, std::string_view part)
    : texts_(whole.texts_, part), provenance_(whole.provenance_.part()) {}

void ModelReader::source(SourceTable& sources, Name& path) {
  if (const std::string_view next = text(); path != next) path = Name(next);
  const std::string_view table = text();
  if (table.empty()) {
    const std::string_view shown = text();
    provenance_.add(sources.add(path, shown, keep(), static_cast<std::uint32_t>(number())), 1);
    return;
  }
  const std::uint64_t count = number();
  if (count > texts_.size()) wrong();
  auto rows = part<std::vector<QuotedRow>>([count](const std::vector<QuotedRow>& read) {
    if (read.size() != count) wrong();
  });
  provenance_.add(sources.add_rows(path, table, count, std::move(rows), keep()), count);
}

void ModelReader::start() {
  texts_.start();
  provenance_.start();
  objects_ = {};
}

void ModelReader::forget() {
  texts_.forget();
  objects_ = {};
}

void ModelReader::logical_flow(ovn::LogicalFlow& f) {
  const std::uint64_t is = number();
  f.ingress = (is & kIngress) != 0;
  get(f.datapath), get(f.table), get(f.stage), get(f.priority), get(f.match), get(f.actions);
  get(f.uuid), get(f.from);
  if ((is & kAsInUuid) != 0)
    f.uuid_prefix = prefix_in(f.uuid);
  else
    get(f.uuid_prefix);
  if ((is & kHasOrigin) != 0) get(f.origin.emplace());
}

void ModelReader::rows(ovn::Rows& all) {
  for (std::uint64_t n = count(); n > 0; --n) {
    const std::string_view database = text(), name = text();
    ovn::Rows::Table& table = all.table(database, name);
    row_list(table.rows(),
             [database = table.database(), name = table.name()](ovn::Row& row) { row.database = database, row.table = name; });
  }
}

}  // namespace egt::parsers
