// For the static executable: what the archive of libpcap calls to capture from D-Bus, which reading files never does. Each ends
// the program.
#include <cstdio>
#include <cstdlib>

namespace {

[[noreturn]] void refuse() {
  std::fputs("egtrace: there is no D-Bus in this executable\n", stderr);
  std::abort();
}

}  // namespace

#define EGTRACE_NO_DBUS(name) \
  extern "C" void name();     \
  extern "C" void name() { refuse(); }

EGTRACE_NO_DBUS(dbus_bus_add_match)
EGTRACE_NO_DBUS(dbus_bus_get)
EGTRACE_NO_DBUS(dbus_bus_register)
EGTRACE_NO_DBUS(dbus_connection_flush)
EGTRACE_NO_DBUS(dbus_connection_open)
EGTRACE_NO_DBUS(dbus_connection_pop_message)
EGTRACE_NO_DBUS(dbus_connection_read_write)
EGTRACE_NO_DBUS(dbus_connection_send)
EGTRACE_NO_DBUS(dbus_connection_set_max_received_size)
EGTRACE_NO_DBUS(dbus_connection_unref)
EGTRACE_NO_DBUS(dbus_error_free)
EGTRACE_NO_DBUS(dbus_error_is_set)
EGTRACE_NO_DBUS(dbus_free)
EGTRACE_NO_DBUS(dbus_message_demarshal)
EGTRACE_NO_DBUS(dbus_message_is_signal)
EGTRACE_NO_DBUS(dbus_message_marshal)
EGTRACE_NO_DBUS(dbus_message_unref)
