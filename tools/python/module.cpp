// egtrace._egtrace: questions in, JSON out. What makes objects of it is egtrace/_results.py, and egtrace/_egtrace.pyi has the types.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/render/printable.h"
#include "open_snapshot.h"

namespace py = pybind11;

namespace {

using egt::python::OpenSnapshot;
using Texts = std::vector<std::string>;
using Number = std::optional<long long>;

// As the verbs' options check it.
template <class Narrow>
std::optional<Narrow> number(const char* name, const Number& value, long long least, long long most) {
  if (!value) return std::nullopt;
  if (*value < least || *value > most)
    throw egt::python::UsageError(std::string(name) + " is from " + std::to_string(least) + " to " + std::to_string(most) +
                                  ", not " + std::to_string(*value));
  return static_cast<Narrow>(*value);
}

std::unique_ptr<OpenSnapshot> open(std::string path, Texts dumps, std::string at, const Number& jobs, bool follow_links) {
  const auto threads = number<unsigned>("jobs", jobs, 0, 1024);
  const py::gil_scoped_release others_run;
  return std::make_unique<OpenSnapshot>(
      egt::python::SnapshotArguments{std::move(path), std::move(dumps), std::move(at), threads.value_or(0), follow_links});
}

// The options of a packet by their names on the command line, dashes as underscores.
std::string explain(OpenSnapshot& snapshot, std::string from, std::string to, std::string namespace_, std::string network,
                    std::string proto, const Number& sport, const Number& dport, const Number& ttl, const Number& dscp,
                    const Number& icmp_type, const Number& icmp_code, const Number& mark, std::string smac, std::string dmac,
                    std::string arrive_at, std::string in_dev, const Number& size, bool df, bool established, bool no_conntrack,
                    bool one_way) {
  egt::cli::PacketOptions o;
  o.from = std::move(from);
  o.to = std::move(to);
  o.namespace_ = std::move(namespace_);
  o.network = std::move(network);
  o.proto = std::move(proto);
  o.sport = number<std::uint16_t>("sport", sport, 0, 65535);
  o.dport = number<std::uint16_t>("dport", dport, 0, 65535);
  o.ttl = number<std::uint16_t>("ttl", ttl, 0, 255);
  o.dscp = number<std::uint16_t>("dscp", dscp, 0, 63).value_or(0);
  o.icmp_type = number<std::uint16_t>("icmp_type", icmp_type, 0, 255);
  o.icmp_code = number<std::uint16_t>("icmp_code", icmp_code, 0, 255);
  o.mark = std::to_string(number<std::uint32_t>("mark", mark, 0, 0xffffffff).value_or(0));
  o.smac = std::move(smac);
  o.dmac = std::move(dmac);
  o.arrive_at = std::move(arrive_at);
  o.in_dev = std::move(in_dev);
  o.size = number<std::uint32_t>("size", size, 28, 65535);
  o.df = df;
  o.established = established;
  o.no_conntrack = no_conntrack;
  o.one_way = one_way;
  if (o.proto != "tcp" && o.proto != "udp" && o.proto != "sctp" && o.proto != "icmp" && o.proto != "icmp6")
    throw egt::python::UsageError("proto is tcp, udp, sctp, icmp or icmp6, not " + o.proto);
  const py::gil_scoped_release others_run;
  return snapshot.explain(o);
}

// Exceptions of Python's side, which has several bases for them. They are never given back: at the end there is no interpreter to give them to.
PyObject* usage_error = nullptr;
PyObject* snapshot_error = nullptr;

void set_errors(py::object usage, py::object snapshot) {
  usage_error = usage.release().ptr();
  snapshot_error = snapshot.release().ptr();
}

// What quotes a dump is made fit for terminals, as the commands do.
void raise(PyObject* error, const std::exception& e) { PyErr_SetString(error, egt::render::printable(e.what()).c_str()); }

}  // namespace

PYBIND11_MODULE(_egtrace, m) {
  m.attr("__version__") = EGTRACE_VERSION;
  m.def("set_errors", &set_errors, py::arg("usage"), py::arg("snapshot"));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const egt::python::UsageError& e) {
      raise(usage_error, e);
    } catch (const egt::python::SnapshotError& e) {
      raise(snapshot_error, e);
    }
  });
  const auto without_gil = py::call_guard<py::gil_scoped_release>();
  py::class_<OpenSnapshot>(m, "OpenSnapshot")
      .def(py::init(&open), py::arg("path"), py::arg("dumps"), py::arg("at"), py::arg("jobs"), py::arg("follow_links"))
      .def("explain", &explain, py::arg("from_"), py::arg("to"), py::kw_only(), py::arg("namespace") = "",
           py::arg("network") = "", py::arg("proto") = "tcp", py::arg("sport") = py::none(), py::arg("dport") = py::none(),
           py::arg("ttl") = py::none(), py::arg("dscp") = py::none(), py::arg("icmp_type") = py::none(),
           py::arg("icmp_code") = py::none(), py::arg("mark") = py::none(), py::arg("smac") = "", py::arg("dmac") = "",
           py::arg("arrive_at") = "", py::arg("in_dev") = "", py::arg("size") = py::none(), py::arg("df") = false,
           py::arg("established") = false, py::arg("no_conntrack") = false, py::arg("one_way") = false)
      .def(
          "audit",
          [](OpenSnapshot& s, Texts to, Texts namespaces, bool one_way) {
            return s.audit({std::move(to), std::move(namespaces), one_way});
          },
          py::arg("to"), py::arg("namespaces"), py::arg("one_way"), without_gil)
      .def(
          "check",
          [](OpenSnapshot& s, std::string text, std::string name, bool from_objects, bool assume_gaps, std::string baseline,
             std::string baseline_name) {
            return s.check(
                {std::move(text), std::move(name), from_objects, assume_gaps, std::move(baseline), std::move(baseline_name)});
          },
          py::arg("text"), py::arg("name"), py::arg("from_objects"), py::arg("assume_gaps"), py::arg("baseline"),
          py::arg("baseline_name"), without_gil)
      .def(
          "baseline",
          [](OpenSnapshot& s, std::string text, std::string name, bool from_objects, bool assume_gaps) {
            return s.baseline({std::move(text), std::move(name), from_objects, assume_gaps, {}, {}});
          },
          py::arg("text"), py::arg("name"), py::arg("from_objects"), py::arg("assume_gaps"), without_gil)
      .def("triage", &OpenSnapshot::triage, py::arg("only"), without_gil)
      .def("inspect", &OpenSnapshot::inspect, without_gil)
      .def("lookup", &OpenSnapshot::lookup, py::arg("thing"), without_gil);
}
