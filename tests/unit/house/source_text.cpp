#include "source_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace egt::house {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    words.emplace_back(text.substr(begin, i - begin));
  }
  return words;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What stands between < and > goes, from the innermost out.
std::string without_templates(std::string text) {
  for (std::size_t close = text.find('>'); close != std::string::npos; close = text.find('>')) {
    const std::size_t open = text.rfind('<', close);
    if (open == std::string::npos) return text;
    text.erase(open, close - open + 1);
  }
  return text;
}

// "int" of "int a = 1, b[2], c : 4" is part of the first name's piece.
std::string last_word(std::string_view piece) {
  const std::size_t end = piece.find_first_of("=[{:");
  const auto words = words_of(piece.substr(0, end));
  return words.empty() ? std::string() : words.back();
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool declares_data(const std::string& declaration) {
  const auto words = words_of(declaration);
  if (words.size() < 2) return false;
  for (const char* other : {"using", "friend", "static", "template", "typedef", "operator"})
    if (has_word(words, other)) return false;
  return words.front() != "struct" && words.front() != "class" && words.front() != "enum" &&
         declaration.substr(0, declaration.find('=')).find('(') == std::string::npos;
}

std::vector<std::string> names_in(std::string declaration) {
  declaration = without_templates(std::move(declaration));
  replace_all(declaration, "::", "__");
  std::vector<std::string> names;
  if (!declares_data(declaration)) return names;
  for (std::size_t begin = 0; begin <= declaration.size();) {
    const std::size_t end = std::min(declaration.find(',', begin), declaration.size());
    if (std::string name = last_word(std::string_view(declaration).substr(begin, end - begin)); !name.empty())
      names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

struct Scope {
  enum class Kind { structure, initializer, other } kind = Kind::other;
  std::string name, before;  // before: an initializer's declaration so far
};

class MemberReader {
 public:
  std::vector<Member> read(std::string_view code) {
    for (const char c : code) {
      if (c == '\n') ++line_;
      if (c == '{')
        open();
      else if (c == '}')
        close();
      else if (c == ';')
        end_declaration();
      else
        text_ += c;
    }
    return std::move(found_);
  }

 private:
  bool in_struct() const { return !scopes_.empty() && scopes_.back().kind == Scope::Kind::structure; }

  void open() {
    const auto words = words_of(text_.substr(0, text_.find(" : ")));
    const bool named = has_word(words, "struct") && text_.find('(') == std::string::npos && text_.find('=') == std::string::npos;
    if (named)
      scopes_.push_back({Scope::Kind::structure, words.back(), {}});
    else if (in_struct() && text_.find('(') == std::string::npos && !has_word(words, "enum") && !has_word(words, "class"))
      scopes_.push_back({Scope::Kind::initializer, {}, text_});
    else
      scopes_.push_back({});
    text_.clear();
  }

  void close() {
    text_.clear();
    if (scopes_.empty()) return;
    if (scopes_.back().kind == Scope::Kind::initializer)
      text_ = scopes_.back().before;
    else if (scopes_.size() > 1 && scopes_[scopes_.size() - 2].kind == Scope::Kind::structure)
      text_ = "Type ";  // of a member that may follow
    scopes_.pop_back();
  }

  void end_declaration() {
    if (in_struct())
      for (std::string& name : names_in(text_)) found_.push_back({owner(), std::move(name), line_});
    text_.clear();
  }

  std::string owner() const {
    std::string all;
    for (const Scope& s : scopes_)
      if (s.kind == Scope::Kind::structure) all += (all.empty() ? "" : "::") + s.name;
    return all;
  }

  std::vector<Scope> scopes_;
  std::string text_;
  std::size_t line_ = 1;
  std::vector<Member> found_;
};

bool is_behind_access(std::string_view code, std::size_t at) {
  if (at >= 1 && code[at - 1] == '.') return true;
  return at >= 2 && (code.substr(at - 2, 2) == "->" || code.substr(at - 2, 2) == "::");
}

bool is_written_or_called(std::string_view code, std::size_t end) {
  while (end < code.size() && (code[end] == ' ' || code[end] == '\n')) ++end;
  if (end >= code.size()) return false;
  return code[end] == '(' || (code[end] == '=' && code.substr(end, 2) != "==");
}

}  // namespace

std::string code_of(std::string_view source) {
  std::string code(source);
  char quote = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (quote != 0) {
      if (c == '\\' && i + 1 < code.size())
        code[i++] = ' ';
      else if (c == quote)
        quote = 0;
      if (code[i] != '\n') code[i] = ' ';
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(code[i - 1])))) {
      quote = c;
    } else if (c == '/' && i + 1 < code.size() && code[i + 1] == '/') {
      while (i < code.size() && code[i] != '\n') code[i++] = ' ';
    }
  }
  return code;
}

std::vector<Member> members_of(std::string_view code) { return MemberReader().read(code); }

void count_reads(std::string_view code, std::map<std::string, std::size_t, std::less<>>& reads) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_word(code[i])) continue;
    const std::size_t begin = i;
    while (i < code.size() && is_word(code[i])) ++i;
    if (is_behind_access(code, begin) && !is_written_or_called(code, i)) ++reads[std::string(code.substr(begin, i - begin))];
  }
}

}  // namespace egt::house
