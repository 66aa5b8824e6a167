// Facts of the model as bytes, and back: how a compiled snapshot keeps what reading its dumps found out (docs/formats/egt.md).
//
// Members of structs follow each other in their order, so that a member that is added changes the format: bytes are only ever read
// by the build that wrote them (readers_hash.h). Numbers are written seven bits at a time, the lowest first; each text and UUID stands
// once, and as a place in a dump where one has it (word_places.h). A longer text that no dump has, as is a column that is printed
// otherwise than it is stored, is written as its words. Of maps of texts the keys stand once for all that have the same ones. Not kept:
// flows and groups (ovs_ofctl/compiled_parts.h), and what is built on demand. Whatever the bytes say, nothing outside of them and of
// the dumps is read.
//
// Rows of a table, and what else is a ReadLater, stand in parts of their own with their sizes, and are read when they are asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/base/boxed.h"
#include "egtrace/base/name.h"
#include "egtrace/base/read_later.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/ovn.h"
#include "egtrace/ovn/southbound.h"
#include "snapshot/compiled.h"
#include "snapshot/model_members.h"
#include "snapshot/provenance_bytes.h"
#include "snapshot/text_bytes.h"
#include "snapshot/word_places.h"

namespace egt::parsers {

namespace model_bytes {

template <class T, template <class...> class Of>
constexpr bool kIs = false;
template <template <class...> class Of, class... Args>
constexpr bool kIs<Of<Args...>, Of> = true;
template <class T>
constexpr bool kIsArray = false;
template <class T, std::size_t n>
constexpr bool kIsArray<std::array<T, n>> = true;

// What is not kept, being made anew or read from its own section.
template <class T>
constexpr bool kLeftOut =
    std::is_same_v<T, std::shared_ptr<const ovn::Program>> || std::is_same_v<T, std::shared_ptr<const ovn::Language>> ||
    std::is_same_v<T, std::vector<std::shared_ptr<const void>>>;

enum PointerCode : std::uint64_t { kNull, kNewObject, kKnownObject };

}  // namespace model_bytes

// How many flows and groups a bridge has, which are added from elsewhere, and whether its ports are to be indexed.
struct BridgeCounts {
  bool has_flows = false, ports_indexed = false;
  std::uint64_t flows = 0, groups = 0;
  friend bool operator==(const BridgeCounts&, const BridgeCounts&) = default;
};

class ModelWriter {
 public:
  // `dumps`: texts that views may lie in, `words` what is in them. Sources up to `known` are there before these bytes are read; others
  // are written with them.
  ModelWriter(const SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
              std::shared_ptr<const WordPlaces> words = nullptr);

  template <class T>
  void put(const T& x) {
    using namespace model_bytes;
    if constexpr (std::is_same_v<T, bool>)
      texts_.byte(x ? 1 : 0);
    else if constexpr (std::is_same_v<T, U128> || std::is_same_v<T, netfilter::Number>)
      number(low64(x)), number(high64(x));
    else if constexpr (std::is_enum_v<T>)
      number(static_cast<std::uint64_t>(x));
    else if constexpr (std::is_same_v<T, std::uint32_t>)
      number(std::uint32_t{x + 1});  // the highest is nothing's number
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      texts_.signed_number(x);
    else if constexpr (std::is_integral_v<T>)
      number(x);
    else if constexpr (std::is_same_v<T, double>)
      texts_.raw(&x, sizeof x);
    else if constexpr (std::is_same_v<T, std::string>)
      texts_.string(x);
    else if constexpr (std::is_same_v<T, TextMap>)
      texts_.text_map(x);
    else if constexpr (std::is_same_v<T, ovn::Columns>)
      texts_.text_map(x);
    else if constexpr (std::is_same_v<T, ovn::Rows>)
      rows(x);
    else if constexpr (kIs<T, ReadLater>)
      part(x.get());
    else if constexpr (kIs<T, ovn::RowList>)
      row_list(x);
    else if constexpr (kIs<T, Pieces>)
      number(x.size()), pieces(x);
    else if constexpr (std::is_same_v<T, ovn::Row>)
      put(x.uuid), put(x.columns), put(x.from);
    else if constexpr (std::is_same_v<T, std::string_view>)
      texts_.view(x);
    else if constexpr (std::is_same_v<T, Name>)
      texts_.text(x.str());
    else if constexpr (std::is_same_v<T, Provenance>)
      provenance_.put(x, texts_);
    else if constexpr (std::is_same_v<T, ovn::Uuid>)
      texts_.uuid(x);
    else if constexpr (std::is_same_v<T, ovn::LogicalFlow>)
      logical_flow(x);
    else if constexpr (std::is_same_v<T, std::monostate> || kLeftOut<T>)
      return;
    else if constexpr (std::is_same_v<T, std::optional<openflow::FlowTables>>)
      put(x.has_value()), number(x ? x->size() : 0);
    else if constexpr (std::is_same_v<T, openflow::GroupTable>)
      number(x.size());
    else if constexpr (std::is_same_v<T, openflow::PortIndex>)
      put(x.known > 0);
    else if constexpr (std::is_same_v<T, std::vector<bool>>) {
      number(x.size());
      for (const bool one : x) put(one);
    } else if constexpr (kIs<T, std::optional> || kIs<T, Boxed>) {
      put(static_cast<bool>(x));
      if (x) put(*x);
    } else if constexpr (kIs<T, std::variant>) {
      number(x.index());
      std::visit([&](const auto& one) { put(one); }, x);
    } else if constexpr (kIs<T, std::shared_ptr>)
      pointer(x);
    else if constexpr (kIs<T, std::pair>)
      put(x.first), put(x.second);
    else if constexpr (kIsArray<T>) {
      for (const auto& one : x) put(one);
    } else if constexpr (requires {
                           x.size();
                           x.begin();
                         }) {
      number(x.size());
      for (const auto& one : x) put(one);
    } else {
      std::apply([&](const auto&... member) { (put(member), ...); }, members_of(const_cast<T&>(x)));
    }
  }

  void number(std::uint64_t n) { texts_.number(n); }
  // All that was put, with the sources that it names.
  std::string take();

 private:
  ModelWriter(TextWriter texts, ProvenanceWriter provenance) : texts_(std::move(texts)), provenance_(std::move(provenance)) {}

  void rows(const ovn::Rows& all);
  // To be read without what stands before it.
  ModelWriter part() const { return {texts_.part(true), provenance_.part()}; }
  template <class T>
  void part(const T& x) {
    ModelWriter own = part();
    own.put(x);
    number(own.texts_.bytes().size());
    texts_.bytes() += own.texts_.bytes();
  }
  template <class Row>
  void row_list(const ovn::RowList<Row>& rows) {
    number(rows.size());
    const std::vector<std::uint32_t> prefixes = rows.prefixes();
    texts_.raw(prefixes.data(), prefixes.size() * sizeof(std::uint32_t));
    pieces(rows.all());
  }
  // In parts, behind the sizes of all of them.
  template <class T>
  void pieces(const Pieces<T>& all) {
    std::string parts;
    for (std::size_t i = 0; i < all.size();) {
      ModelWriter own = part();
      do own.put(all[i]);
      while (++i < all.size() && i % Pieces<T>::kPiece != 0);
      number(own.texts_.bytes().size());
      parts += own.texts_.bytes();
    }
    texts_.bytes() += parts;
  }
  void logical_flow(const ovn::LogicalFlow& f);
  void source(SourceId first);
  template <class T>
  void pointer(const std::shared_ptr<T>& p) {
    if (!p) return number(model_bytes::kNull);
    const auto [known, fresh] = objects_.try_emplace(p.get(), objects_.size());
    if (!fresh) return number(model_bytes::kKnownObject + known->second);
    number(model_bytes::kNewObject);
    put(*p);
  }

  TextWriter texts_;
  ProvenanceWriter provenance_;
  std::unordered_map<const void*, std::uint64_t> objects_;
};

// Throws std::runtime_error where the bytes say what no writer wrote.
class ModelReader {
 public:
  // `bytes` and `dumps` outlive what is read, and so does keep(). Sources are added to `sources`, whose texts `keep` owns.
  // `unchecked`: of these dumps, where there is one, what is viewed is checked first.
  ModelReader(std::string_view bytes, SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
              std::shared_ptr<const void> keep, std::vector<std::shared_ptr<const CompiledDump>> unchecked = {});

  template <class T>
  void get(T& x) {
    using namespace model_bytes;
    if constexpr (std::is_same_v<T, bool>)
      x = texts_.byte() != 0;
    else if constexpr (std::is_same_v<T, U128> || std::is_same_v<T, netfilter::Number>) {
      const std::uint64_t low = number();
      x = make_u128(number(), low);
    } else if constexpr (std::is_enum_v<T>)
      x = static_cast<T>(number());
    else if constexpr (std::is_same_v<T, std::uint32_t>)
      x = static_cast<std::uint32_t>(number()) - 1;
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      x = static_cast<T>(texts_.signed_number());
    else if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(number());
    else if constexpr (std::is_same_v<T, double>)
      std::memcpy(&x, texts_.taken(sizeof x).data(), sizeof x);
    else if constexpr (std::is_same_v<T, std::string>)
      texts_.string(x);
    else if constexpr (std::is_same_v<T, TextMap>)
      texts_.text_map(x);
    else if constexpr (std::is_same_v<T, ovn::Columns>)
      texts_.columns(x);
    else if constexpr (std::is_same_v<T, ovn::Rows>)
      rows(x);
    else if constexpr (kIs<T, ReadLater>)
      x = part<std::remove_cvref_t<decltype(x.get())>>([](const auto&) {});
    else if constexpr (kIs<T, ovn::RowList>)
      row_list(x, [](const auto&) {});
    else if constexpr (kIs<T, Pieces>)
      x = pieces<typename T::value_type>(count(), [](const auto&) {});
    else if constexpr (std::is_same_v<T, ovn::Row>)
      get(x.uuid), get(x.columns), get(x.from);  // the table is that of all
    else if constexpr (std::is_same_v<T, std::string_view>)
      x = text();
    else if constexpr (std::is_same_v<T, Name>)
      x = Name(text());
    else if constexpr (std::is_same_v<T, Provenance>)
      x = provenance_.get(texts_);
    else if constexpr (std::is_same_v<T, ovn::Uuid>)
      x = texts_.uuid();
    else if constexpr (std::is_same_v<T, ovn::LogicalFlow>)
      logical_flow(x);
    else if constexpr (std::is_same_v<T, std::vector<std::shared_ptr<const void>>>)
      x.push_back(keep());
    else if constexpr (std::is_same_v<T, std::monostate> || kLeftOut<T>)
      return;
    else if constexpr (std::is_same_v<T, std::optional<openflow::FlowTables>>) {
      bridges.emplace_back().has_flows = texts_.byte() != 0;
      bridges.back().flows = number();
    } else if constexpr (std::is_same_v<T, openflow::GroupTable>) {
      bridges.back().groups = number();
    } else if constexpr (std::is_same_v<T, openflow::PortIndex>) {
      bridges.back().ports_indexed = texts_.byte() != 0;
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
      for (std::uint64_t n = count(); n > 0; --n) x.push_back(texts_.byte() != 0);
    } else if constexpr (kIs<T, std::optional> || kIs<T, Boxed>) {
      if (texts_.byte() != 0) get(x.emplace());
    } else if constexpr (kIs<T, std::variant>)
      alternative(x, number(), std::make_index_sequence<std::variant_size_v<T>>());
    else if constexpr (kIs<T, std::shared_ptr>)
      pointer(x);
    else if constexpr (kIs<T, std::pair>)
      get(x.first), get(x.second);
    else if constexpr (kIsArray<T>) {
      for (auto& one : x) get(one);
    } else if constexpr (kIs<T, std::map>) {
      for (std::uint64_t n = count(); n > 0; --n) {
        typename T::key_type key{};
        get(key);
        get(x.emplace_hint(x.end(), std::move(key), typename T::mapped_type{})->second);
      }
    } else if constexpr (kIs<T, std::set>) {
      for (std::uint64_t n = count(); n > 0; --n) {
        typename T::value_type one{};
        get(one);
        x.emplace_hint(x.end(), std::move(one));
      }
    } else if constexpr (requires { x.emplace_back(); }) {
      const std::uint64_t n = count();
      x.reserve(x.size() + n);
      for (std::uint64_t i = 0; i < n; ++i) get(x.emplace_back());
    } else if constexpr (requires { x.add(*x.begin()); }) {  // objects of one kind
      for (std::uint64_t n = count(); n > 0; --n) {
        std::remove_cvref_t<decltype(*x.begin())> one;
        get(one);
        x.add(std::move(one));
      }
    } else {
      std::apply([&](auto&... member) { (get(member), ...); }, members_of(x));
    }
  }

  // Sources that will be there, though they are not so far.
  void know(SourceId known) { provenance_.know(known); }
  std::uint64_t number() { return texts_.number(); }
  // Of things that take a byte at least.
  std::uint64_t count() { return texts_.count(); }
  std::string_view text() { return texts_.text(); }
  // What owns texts: `keep`, and those that are not written anywhere as they are.
  std::shared_ptr<const void> keep() const { return texts_.keep(); }
  bool at_end() const { return texts_.at_end(); }
  [[noreturn]] static void wrong() { TextReader::wrong(); }

  std::vector<BridgeCounts> bridges;  // of those that were read, in their order

 private:
  static constexpr unsigned kDepth = 200;  // of objects in one another

  ModelReader(const ModelReader& whole, std::string_view part);

  // `done` looks at what was read, and may finish it.
  template <class T, class Done>
  ReadLater<T> part(Done done) {
    const auto in = std::shared_ptr<ModelReader>(new ModelReader(*this, texts_.taken(number())));
    return ReadLater<T>::by([in, done] {
      T read;
      in->start();
      in->get(read);
      if (!in->at_end()) wrong();
      done(read);
      in->forget();
      return read;
    });
  }
  // `done` finishes each row.
  template <class Row, class Done>
  void row_list(ovn::RowList<Row>& rows, Done done) {
    std::vector<std::uint32_t> prefixes(count());
    const std::size_t size = prefixes.size();
    const std::string_view raw = texts_.taken(size * sizeof(std::uint32_t));
    if (size > 0) std::memcpy(prefixes.data(), raw.data(), raw.size());
    rows.read_later(std::move(prefixes), pieces<Row>(size, done));
  }
  template <class T, class Done>
  Pieces<T> pieces(std::size_t size, Done done) {
    constexpr std::size_t kPiece = Pieces<T>::kPiece;
    std::vector<std::uint64_t> sizes((size + kPiece - 1) / kPiece);
    for (std::uint64_t& one : sizes) one = number();
    std::vector<std::string_view> parts;
    for (const std::uint64_t one : sizes) parts.push_back(texts_.taken(one));
    const auto whole = std::shared_ptr<const ModelReader>(new ModelReader(*this, std::string_view()));
    return Pieces<T>::read_by(size, [whole, done, size, parts = std::move(parts)](std::size_t number) {
      ModelReader in(*whole, parts[number]);
      in.start();
      typename Pieces<T>::Piece read;
      read.elements.resize(std::min(Pieces<T>::kPiece, size - number * Pieces<T>::kPiece));
      for (T& one : read.elements) in.get(one), done(one);
      if (!in.at_end()) wrong();
      read.keep = in.keep();
      return read;
    });
  }
  void start();   // from the beginning, also where reading was broken off
  void forget();  // all but what may be viewed
  void logical_flow(ovn::LogicalFlow& f);
  void rows(ovn::Rows& all);
  void source(SourceTable& sources, Name& path);
  template <class T>
  void pointer(std::shared_ptr<T>& p) {
    using Object = std::remove_const_t<T>;
    const std::uint64_t code = number();
    if (code == model_bytes::kNull) return;
    if (code >= model_bytes::kKnownObject) {
      if (code - model_bytes::kKnownObject >= objects_.size()) wrong();
      const auto& [type, object] = objects_[code - model_bytes::kKnownObject];
      if (type == nullptr || *type != typeid(Object)) wrong();
      p = std::static_pointer_cast<Object>(object);
      return;
    }
    if (++depth_ > kDepth) wrong();
    const std::size_t place = objects_.size();
    objects_.emplace_back(nullptr, nullptr);  // nothing holds itself
    auto object = std::make_shared<Object>();
    get(*object);
    objects_[place] = {&typeid(Object), object};
    p = std::move(object);
    --depth_;
  }
  template <class T, std::size_t... I>
  void alternative(T& x, std::uint64_t index, std::index_sequence<I...>) {
    const bool known = ((index == I ? (get(x.template emplace<I>()), true) : false) || ...);
    if (!known) wrong();
  }

  TextReader texts_;
  ProvenanceReader provenance_;
  std::vector<std::pair<const std::type_info*, std::shared_ptr<void>>> objects_;
  unsigned depth_ = 0;
};

}  // namespace egt::parsers
