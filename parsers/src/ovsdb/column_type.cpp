#include "ovsdb/column_type.h"

#include <algorithm>
#include <charconv>

#include "egtrace/base/text.h"

namespace egt::parsers::ovsdb {
namespace {

std::optional<AtomKind> kind_named(std::string_view name) {
  if (name == "integer") return AtomKind::integer;
  if (name == "real") return AtomKind::real;
  if (name == "boolean") return AtomKind::boolean;
  if (name == "string") return AtomKind::string;
  if (name == "uuid") return AtomKind::uuid;
  return std::nullopt;
}

// "string", or {"type":"string",…} of which only the type matters here.
std::optional<AtomKind> parse_base_type(JsonCursor& c) {
  if (c.peek() == '"') return kind_named(c.raw_string().value_or(""));
  std::optional<AtomKind> kind;
  const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (name != "type") return !v.value().empty();
    kind = kind_named(v.raw_string().value_or(""));
    return kind.has_value();
  });
  return whole ? kind : std::nullopt;
}

bool parse_limit(JsonCursor& c, std::uint64_t& limit) {
  const std::string_view text = c.value();
  if (text == "\"unlimited\"") return limit = ColumnType::kUnlimited, true;
  const auto n = parse_decimal(text);
  if (n) limit = *n;
  return n.has_value();
}

std::optional<ColumnType> parse_type(JsonCursor& c) {
  ColumnType type;
  if (c.peek() == '"') {
    const auto kind = parse_base_type(c);
    if (!kind) return std::nullopt;
    type.key = *kind;
    return type;
  }
  const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (name == "min") return parse_limit(v, type.min);
    if (name == "max") return parse_limit(v, type.max);
    const auto kind = parse_base_type(v);
    if (name == "key" && kind) type.key = *kind;
    if (name == "value") type.value = kind;
    return kind.has_value();
  });
  if (!whole || type.min > 1 || type.max == 0) return std::nullopt;
  return type;
}

bool parse_column(JsonCursor& c, ColumnSchema& column) {
  bool typed = false;
  const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (name == "type") {
      const auto type = parse_type(v);
      if (type) column.type = *type;
      return typed = type.has_value();
    }
    const std::string_view value = v.value();
    if (name == "ephemeral") column.ephemeral = value == "true";
    return !value.empty();
  });
  return whole && typed;
}

bool parse_table(JsonCursor& c, TableSchema& table) {
  return for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (name != "columns") return !v.value().empty();
    return for_each_member(v, [&](std::string_view column, JsonCursor& of) {
      table.columns.push_back({std::string(column), {}, false});
      return parse_column(of, table.columns.back());
    });
  });
}

bool parse_tables(JsonCursor& c, DatabaseSchema& schema) {
  return for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    schema.tables.push_back({std::string(name), {}});
    return parse_table(v, schema.tables.back());
  });
}

template <class T>
void sort_by_name(std::vector<T>& all) {
  std::stable_sort(all.begin(), all.end(), [](const T& a, const T& b) { return a.name < b.name; });
  all.erase(std::unique(all.begin(), all.end(), [](const T& a, const T& b) { return a.name == b.name; }), all.end());
}

// ---- values

Datum::Shape shape_of(const ColumnType& type, std::size_t size) {
  if (type.value) return Datum::Shape::map;
  return type.is_composite() || size != 1 ? Datum::Shape::set : Datum::Shape::atom;
}

// Takes what a value consists of as a datum. `raw`: between quotes, of strings.
class DatumSink {
 public:
  void key(AtomKind kind, std::string_view raw) { datum_.keys.push_back(atom_of(kind, raw)); }
  void value(AtomKind kind, std::string_view raw) { datum_.values.push_back(atom_of(kind, raw)); }
  Datum take(const ColumnType& type) {
    datum_.shape = shape_of(type, datum_.keys.size());
    return std::move(datum_);
  }

 private:
  static Atom atom_of(AtomKind kind, std::string_view raw) {
    if (kind != AtomKind::string) return {kind, false, std::string(raw)};
    Atom atom{kind, false, unescaped(raw)};
    atom.quoted = needs_quotes(atom.text);
    return atom;
  }

  Datum datum_;
};

// Takes it as the text that print() makes of that datum.
class TextSink {
 public:
  explicit TextSink(std::string& out) : out_(out), begin_(out.size()) { out_.push_back('['); }

  void key(AtomKind kind, std::string_view raw) {
    if (keys_++ > 0) out_ += ", ";
    print(kind, raw);
  }
  void value(AtomKind kind, std::string_view raw) {
    out_.push_back('=');
    print(kind, raw);
  }
  void close(const ColumnType& type) {
    switch (shape_of(type, keys_)) {
      case Datum::Shape::atom: out_.erase(begin_, 1); return;
      case Datum::Shape::set: out_.push_back(']'); return;
      case Datum::Shape::map: out_[begin_] = '{', out_.push_back('}'); return;
    }
  }

 private:
  void print(AtomKind kind, std::string_view raw) {
    if (kind == AtomKind::string && has_escapes(raw)) return print_string(unescaped(raw));
    if (kind == AtomKind::string) return print_string(raw);
    out_ += raw;
  }
  void print_string(std::string_view text) {
    if (needs_quotes(text))
      print_quoted(text, out_);
    else
      out_ += text;
  }

  std::string& out_;
  std::size_t begin_, keys_ = 0;
};

std::optional<std::string_view> raw_atom(JsonCursor& c, AtomKind kind) {
  if (kind == AtomKind::string) return c.raw_string();
  if (kind != AtomKind::uuid) {
    const std::string_view text = c.value();
    if (text.empty() || text.front() == '"' || text.front() == '{' || text.front() == '[') return std::nullopt;
    return text;
  }
  if (!c.take('[')) return std::nullopt;
  const auto word = c.raw_string();
  if (!word || *word != "uuid" || !c.take(',')) return std::nullopt;
  const auto raw = c.raw_string();
  return raw && c.take(']') ? raw : std::nullopt;
}

template <class Sink>
bool read_pair(JsonCursor& c, const ColumnType& type, Sink& sink) {
  if (!c.take('[')) return false;
  const auto key = raw_atom(c, type.key);
  if (!key || !c.take(',')) return false;
  const auto value = raw_atom(c, *type.value);
  if (!value || !c.take(']')) return false;
  sink.key(type.key, *key);
  sink.value(*type.value, *value);
  return true;
}

template <class Sink>
bool read_atom(JsonCursor& c, AtomKind kind, Sink& sink) {
  const auto raw = raw_atom(c, kind);
  if (raw) sink.key(kind, *raw);
  return raw.has_value();
}

// ["set",[…]] or ["map",[…]].
template <class Sink>
bool read_tagged(JsonCursor& c, const ColumnType& type, Sink& sink) {
  if (!c.take('[')) return false;
  const auto tag = c.raw_string();
  if (!tag || *tag != (type.value ? "map" : "set") || !c.take(',')) return false;
  const bool whole = for_each_element(
      c, [&](JsonCursor& element) { return type.value ? read_pair(element, type, sink) : read_atom(element, type.key, sink); });
  return whole && c.take(']');
}

bool begins_tagged(JsonCursor c) {
  if (!c.take('[')) return false;
  const auto tag = c.raw_string();
  return tag && (*tag == "set" || *tag == "map");
}

template <class Sink>
bool read_value(JsonCursor& c, const ColumnType& type, Sink& sink) {
  return begins_tagged(c) ? read_tagged(c, type, sink) : !type.value && read_atom(c, type.key, sink);
}

std::string_view default_of(AtomKind kind) {
  switch (kind) {
    case AtomKind::integer: return "0";
    case AtomKind::real: return "0";
    case AtomKind::boolean: return "false";
    case AtomKind::string: return "";
    case AtomKind::uuid: return "00000000-0000-0000-0000-000000000000";
  }
  return {};
}

template <class Sink>
void put_default(const ColumnType& type, Sink& sink) {
  if (type.min == 0) return;
  sink.key(type.key, default_of(type.key));
  if (type.value) sink.value(*type.value, default_of(*type.value));
}

void print_json_element(const Atom& atom, std::string& out) {
  if (atom.kind == AtomKind::string) return print_quoted(atom.text, out);
  const bool uuid = atom.kind == AtomKind::uuid;
  if (uuid) out += "[\"uuid\",\"";
  out += atom.text;
  if (uuid) out += "\"]";
}

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

std::optional<std::size_t> TableSchema::find(std::string_view column) const {
  const auto it = std::lower_bound(columns.begin(), columns.end(), column,
                                   [](const ColumnSchema& c, std::string_view wanted) { return c.name < wanted; });
  if (it == columns.end() || it->name != column) return std::nullopt;
  return static_cast<std::size_t>(it - columns.begin());
}

std::optional<DatabaseSchema> parse_schema(std::string_view json) {
  DatabaseSchema schema;
  JsonCursor c(json);
  bool tables = false;
  const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (name == "tables") return tables = parse_tables(v, schema);
    const std::string_view value = v.value();
    if (name == "name" && value.size() >= 2) schema.name = unescaped(value.substr(1, value.size() - 2));
    if (name == "version" && value.size() >= 2) schema.version = unescaped(value.substr(1, value.size() - 2));
    return !value.empty();
  });
  if (!whole || !tables || schema.name.empty()) return std::nullopt;
  sort_by_name(schema.tables);
  for (TableSchema& table : schema.tables) sort_by_name(table.columns);
  return schema;
}

std::optional<Datum> parse_json_value(JsonCursor& c, const ColumnType& type) {
  DatumSink sink;
  return read_value(c, type, sink) ? std::optional(sink.take(type)) : std::nullopt;
}

bool append_json_value(JsonCursor& c, const ColumnType& type, std::string& out) {
  const std::size_t before = out.size();
  TextSink sink(out);
  const bool read = read_value(c, type, sink);
  if (read)
    sink.close(type);
  else
    out.resize(before);
  return read;
}

Datum default_value(const ColumnType& type) {
  DatumSink sink;
  put_default(type, sink);
  return sink.take(type);
}

void append_default_value(const ColumnType& type, std::string& out) {
  TextSink sink(out);
  put_default(type, sink);
  sink.close(type);
}

void print_json_value(const Datum& datum, std::string& out) {
  const bool is_map = datum.shape == Datum::Shape::map;
  if (!is_map && datum.keys.size() == 1) return print_json_element(datum.keys.front(), out);
  out += is_map ? "[\"map\",[" : "[\"set\",[";
  for (std::size_t i = 0; i < datum.keys.size(); ++i) {
    if (i > 0) out.push_back(',');
    if (is_map) out.push_back('[');
    print_json_element(datum.keys[i], out);
    if (!is_map) continue;
    out.push_back(',');
    print_json_element(datum.values[i], out);
    out.push_back(']');
  }
  out += "]]";
}

bool atom_less(const Atom& a, const Atom& b) {
  if (a.kind == AtomKind::integer && b.kind == a.kind) {
    const auto x = number_of<std::int64_t>(a.text), y = number_of<std::int64_t>(b.text);
    if (x && y) return *x < *y;
  }
  if (a.kind == AtomKind::real && b.kind == a.kind) {
    const auto x = number_of<double>(a.text), y = number_of<double>(b.text);
    if (x && y) return *x < *y;
  }
  return a.text < b.text;
}

}  // namespace egt::parsers::ovsdb
