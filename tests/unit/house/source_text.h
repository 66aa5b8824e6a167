// C++ sources as text: enough of the language for the house's rules, not more.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace egt::house {

// Comments and what stands in quotes are blanks; lines stay where they are.
std::string code_of(std::string_view source);

struct Member {
  std::string owner, name;  // "Interface", "port_down"; of a struct inside another one "Outer::Inner"
  std::size_t line = 0;
};
// Data members of the structs that the code declares.
std::vector<Member> members_of(std::string_view code);

// How often each name is read as a member: behind . or ->, or as &Struct::name, where nothing is assigned to it.
void count_reads(std::string_view code, std::map<std::string, std::size_t, std::less<>>& reads);

}  // namespace egt::house
