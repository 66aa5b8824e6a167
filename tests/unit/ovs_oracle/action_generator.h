// Writes one list of actions; knows what the packet is by then.
#pragma once

#include <string>
#include <vector>

#include "generator.h"

namespace egt::testing {

class ActionWriter {
 public:
  ActionWriter(Dice& dice, const ActionPlace& place, unsigned kinds) : dice_(dice), place_(place), kinds_(kinds) {}
  std::vector<std::string> list(unsigned length);
  // What uses one field, and one action of any kind: for flows that packets are made for.
  std::vector<std::string> about(const FieldSpec& f);

 private:
  using Make = std::string (ActionWriter::*)();

  std::string action();
  // A packet that goes round between bridges multiplies until the daemon's limits end it: minutes.
  bool leads_back() const { return place_.bridge != "br-int"; }
  // Dumps before OpenFlow 1.5 show a masked write as loads of bits that follow one another, 64 at most; before 1.2 they
  // have words for some fields, which know no masks.
  bool dumped_as_loads() const { return place_.protocol != "OpenFlow15"; }
  bool dumped_in_old_words() const { return place_.protocol == "OpenFlow10" || place_.protocol == "OpenFlow11"; }
  bool dumps_encap() const { return place_.protocol >= "OpenFlow13"; }  // ovs-ofctl shows no such flow before
  bool shown_whole(const FieldSpec& f, unsigned bits) const;
  // Flags are shown by name, in OpenFlow 1.5 with and without a mask alike; groups are dumped in that.
  bool shows_mask_of(const FieldSpec& f) const;
  unsigned later_table() { return dice_.between(place_.table + 1, kGeneratedTables - 1); }
  bool may_go_on() const { return place_.table + 1 < kGeneratedTables; }
  bool may_use(const FieldSpec& f) const;
  bool fits(const FieldSpec& f, bool writable, unsigned bits) const;
  const FieldSpec* field_where(bool writable, unsigned bits = 1);
  std::string subfield(const FieldSpec& f, unsigned begin, unsigned bits) const;
  std::string stacked(bool writable);
  std::string inner(unsigned most);

  // Fields and the like (action_generator.cpp).
  std::string set_field();
  std::string load();
  std::string move();
  std::string push();
  std::string pop();
  std::string remove();
  std::string modify();
  std::string dec_ttl();
  std::string queue();
  std::string timeout();
  std::string note();
  std::string exit();
  // Outputs (output_generator.cpp).
  std::string port(bool by_name = true);
  std::string output();
  std::string reserved();
  std::string truncated();
  std::string output_field();
  std::string enqueue();
  std::string group();
  std::string bundle();
  std::string multipath();
  std::string controller();
  std::string sample();
  // Headers (header_generator.cpp).
  std::string vlan_tag();
  std::string mpls_label();
  std::string encap();
  std::string nsh();
  // Tables and connections (pipeline_generator.cpp).
  std::string resubmit();
  std::string clone();
  std::string length();
  std::string learn();
  std::string connect();
  std::string clear();
  std::string zone();
  std::string nat(bool commit);
  std::string exec();

  Dice& dice_;
  const ActionPlace& place_;
  unsigned kinds_, tables_ = 0, nested_ = 0;
  bool length_ = false;
  const FieldSpec* likely_ = nullptr;  // that every other action uses
};

}  // namespace egt::testing
