#!/bin/sh
# Gathers what egtrace reads from one node into one archive. It changes nothing: it only prints, loads no kernel
# module, and removes its temporary directory. POSIX sh; root sees most.
#
#   egtrace collect | ssh root@worker-1 sh -s -- -o - > worker-1.tar.gz
#   egtrace collect | oc debug -q node/worker-1 -- chroot /host sh -s -- -o - > worker-1.tar.gz
#   egtrace collect | oc exec -i -n NAMESPACE POD -c CONTAINER -- sh -s -- -o - > worker-1.tar.gz
#   egtrace collect | sh -s -- -k -o - > objects.tar.gz          (where oc or kubectl works)
#
# egtrace-collect-cluster does so for all nodes of a cluster.

usage() {
  cat <<'END'
usage: collect [-o FILE] [-n NAME] [-t SECONDS] [-T SECONDS] [-s MEGABYTES] [-S MEGABYTES] [-w SECONDS] [-l LINES]
               [-p NUMBER] [-d] [-k] [-q]
  -o FILE       archive to write; - is standard output (default: egtrace-NAME-DATE.tar.gz here)
  -n NAME       name of the node (default: its host name)
  -t SECONDS    the longest that one command may take (default 60)
  -T SECONDS    the longest that all may take together (default 900)
  -s MEGABYTES  the most that is kept of one command's output or one file (default 500)
  -S MEGABYTES  the most that is kept of all together (default 4000)
  -w SECONDS    time between two dumps of the flows, which give their rates (default 5; 0: one dump)
  -l LINES      how much of the end of each log (default 2000; 0: no logs)
  -p NUMBER     of how many pods' network namespaces (default 300; 0: none)
  -d            leave databases (conf.db, ovnnb_db.db, ovnsb_db.db) out
  -k            Kubernetes objects by oc or kubectl instead of this node's dumps
  -q            say nothing while at work
Passwords and keys of routing daemons, tunnels, sysctl and logs and the environment of containers are masked; keys of
IPsec are never asked for; databases are copied as they are. The archive's egtrace-missing.tsv says what is missing,
and why.
Exit status: 0 done; 1 what was found is useless; 2 nothing was written.
END
}

has() { command -v "$1" >/dev/null 2>&1; }
say() { [ "$quiet" = 1 ] || echo "collect: $*" >&2; }
now() { date +%s; }

# check_numbers LEAST NUMBER…: LEAST is what a number is at least.
check_numbers() {
  least=$1
  shift
  for number; do
    case $number in
      '' | *[!0-9]* | 0?* | ??????????*) number=-1 ;;
    esac
    [ "$number" -ge "$least" ] || { echo "collect: an option's number is none from $least on; see -h" >&2; exit 2; }
  done
}

read_options() {
  out='' name='' limit=60 total=900 megabytes=500 total_megabytes=4000 pause=5 log_lines=2000 most_pods=300
  databases=1 objects=0 quiet=0
  while getopts o:n:t:T:s:S:w:l:p:dkqh option; do
    case $option in
      o) out=$OPTARG ;;
      n) name=$OPTARG ;;
      t) limit=$OPTARG ;;
      T) total=$OPTARG ;;
      s) megabytes=$OPTARG ;;
      S) total_megabytes=$OPTARG ;;
      w) pause=$OPTARG ;;
      l) log_lines=$OPTARG ;;
      p) most_pods=$OPTARG ;;
      d) databases=0 ;;
      k) objects=1 ;;
      q) quiet=1 ;;
      h) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  check_numbers 1 "$limit" "$total" "$megabytes" "$total_megabytes"
  check_numbers 0 "$pause" "$log_lines" "$most_pods"
}

prepare() {
  LC_ALL=C PATH=${PATH:-/bin}:/usr/sbin:/sbin:/usr/bin:/bin
  export LC_ALL PATH
  umask 077
  has tar || { echo "collect: there is no tar here; install it, or run this where it is" >&2; exit 2; }
  [ -n "$name" ] || name=$(hostname 2>/dev/null || uname -n)
  name=$(printf %s "$name" | tr -c 'A-Za-z0-9._-' _)
  [ "$objects" = 0 ] || name=objects
  root=1
  [ "$(id -u)" = 0 ] || root=0
  work=$(mktemp -d "${TMPDIR:-/tmp}/egtrace.XXXXXX") || exit 2
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' HUP INT TERM
  mkdir "$work/$name" || exit 2
  log=$work/$name/egtrace-collect.tsv missing=$work/$name/egtrace-missing.tsv
  printf '# egtrace collect 1: time\tstatus\tbytes\tcut\tfile\tcommand\n' >"$log"
  printf '# reason\tcommand or file\twhat it said\n' >"$missing"
  begin=$(now)
  bytes=$((megabytes * 1048576)) left=$((total_megabytes * 1048576))
  mask='cat' folder='' useful=0 slot=$limit
  choose_timeout
}

# missing REASON WHAT [SAID]: for egtrace-missing.tsv.
lack() {
  said=$(printf %s "${3:-}" | tr '\t\n\r' '   ' | cut -c 1-300)
  printf '%s\t%s\t%s\n' "$1" "$2" "$said" >>"$missing"
}

# sos's rule for names of files: other characters become one _, / becomes a dot.
mangle() {
  printf '%s\n' "$*" | sed -e 's/[^A-Za-z0-9_.\/-]\{1,\}/_/g' -e 's/\//./g' -e 's/^[ ._-]*//' -e 's/[ ._-]*$//' -e 's/^\(.\{200\}\).*/\1/'
}

# within COMMAND…: kills a command that takes too long, also where timeout(1) is missing or knows no -k.
choose_timeout() {
  if timeout -k 1 1 true 2>/dev/null; then
    within() { timeout -k 5 "$slot" "$@"; }
  elif timeout 1 true 2>/dev/null; then
    within() { timeout "$slot" "$@"; }
  else
    within() {
      "$@" &
      child=$!
      (sleep "$slot"; kill "$child") >/dev/null 2>&1 &
      guard=$!
      wait "$child"
      status=$?
      kill "$guard" 2>/dev/null
      [ "$status" -lt 128 ] || status=124
      return "$status"
    }
  fi
}

# Whether there is time for a command; sets `slot`, the seconds that it may take.
has_time() {
  slot=$((total - $(now) + begin))
  [ "$slot" -gt 0 ] || { slot=1; return 1; }
  [ "$slot" -lt "$limit" ] || slot=$limit
}

# Secrets that no question about a packet needs. What -k gathers may have them in the environment of containers.
# They are called by the name in $mask.
# shellcheck disable=SC2317
mask_keys() {
  sed -e 's/^\( *password \).*/\1(masked)/' -e 's/^\( *enable password \).*/\1(masked)/' \
    -e 's/\(neighbor [^ ]* password \)[^ \\"]*/\1(masked)/g' -e 's/^\( *username [^ ]* password \).*/\1(masked)/' \
    -e 's/^\( *key-string \).*/\1(masked)/' -e 's/^\( *[a-z]*-password [a-z]* \).*/\1(masked)/' \
    -e 's/^\( *isis password [a-z]* \).*/\1(masked)/' -e 's/\( authentication-key \).*/\1(masked)/' \
    -e 's/\( message-digest-key [0-9]* md5 \).*/\1(masked)/' -e 's/\( authentication string \).*/\1(masked)/' \
    -e 's/^\( *ip nhrp authentication \).*/\1(masked)/' \
    -e 's/^\(net[^ ]*\.tcp_fastopen_key = \).*/\1(masked)/' -e 's/^\(net[^ ]*\.stable_secret = \).*/\1(masked)/' \
    -e 's/\(psk="\)[^"]*/\1(masked)/g' -e 's/\(psk=\)[^",} ][^,} ]*/\1(masked)/g'
}
# Logs quote what programs were given: passwords, bearer tokens, keys, URLs with users in them.
# shellcheck disable=SC2317
mask_logs() {
  mask_keys | sed -e '/-----BEGIN [A-Z ]*PRIVATE KEY-----/,/-----END [A-Z ]*PRIVATE KEY-----/s/.*/(masked)/' \
    -e 's/\([Bb]earer \)[A-Za-z0-9._~+\/=-]*/\1(masked)/g' -e 's/eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*/(masked)/g' \
    -e 's/\(:\/\/[^:@\/ ]*:\)[^@\/ ]*@/\1(masked)@/g' \
    -e "s/\([Pp][Aa][Ss][Ss][A-Za-z]*$is\)$value/\1(masked)/g" -e "s/\([Tt][Oo][Kk][Ee][Nn]$is\)$value/\1(masked)/g" \
    -e "s/\([Ss][Ee][Cc][Rr][Ee][Tt]$is\)$value/\1(masked)/g"
}
is='\\*"\{0,1\} *[:=] *\\*"\{0,1\}' value='[^ ",;}\\][^ ",;}\\]*'
# shellcheck disable=SC2317
mask_environment() {
  awk 'BEGIN { env = -1; hidden = -1 }
    { match($0, /^ */); depth = RLENGTH; key = substr($0, depth + 1); item = key ~ /^- / }
    hidden >= 0 && (key == "" || depth > hidden) { next }
    { hidden = -1 }
    env >= 0 && key != "" && (depth < env || (depth == env && !item)) { env = -1 }
    { at = depth; while (sub(/^- /, "", key)) at += 2 }
    key == "env:" { env = at }
    (env >= 0 && key ~ /^value:/) || key ~ /^kubectl.kubernetes.io\/last-applied-configuration:/ || key ~ /^[A-Za-z0-9.-]*([Pp]assword|psk|private-key|privateKey):/ {
      sub(/:.*/, ": (masked)"); hidden = at
    }
    { print }' | mask_keys
}

# run_as NAME COMMAND…: the output of COMMAND under the name of the command NAME, in $folder. What it prints before it fails
# is kept. Status 0: it printed something.
run_as() {
  title=$1
  shift
  kept=0
  file=$folder$(mangle "$title")
  most=$bytes
  [ "$most" -le "$left" ] || most=$left
  [ "$most" -gt 0 ] || { lack 'size limit of all' "$title"; return 1; }
  has_time || { lack 'time limit of all' "$title"; return 1; }
  has "$1" || { lack_tool "$1"; return 1; }
  # One byte more than the limit shows that there was more.
  { within "$@" </dev/null 2>"$work/stderr"; echo $? >"$work/status"; } | $mask | head -c $((most + 1)) >"$work/$name/$file" || {
    rm -f "$work/$name/$file"
    lack 'no space left to write it' "$title"
    return 1
  }
  read -r status <"$work/status"
  [ "$status" != 137 ] || status=124   # stopped for good: timeout's second signal
  size=$(($(wc -c <"$work/$name/$file")))
  cut=0
  if [ "$size" -gt "$most" ]; then
    cut=1
    head -c "$most" "$work/$name/$file" >"$work/part" && mv "$work/part" "$work/$name/$file"
    size=$most
    lack 'cut at the size limit' "$title"
  fi
  left=$((left - size)) kept=$size
  if [ "$status" -ne 0 ] && [ "$cut" = 0 ]; then
    explain_failure
    [ "$size" -gt 0 ] || { rm -f "$work/$name/$file"; file=; }
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(now)" "$status" "$size" "$cut" "$file" "$title" >>"$log"
  [ "$kept" -gt 0 ]
}
run() { run_as "$*" "$@"; }

# What a release of the tool or the cluster does not have is no failure.
explain_failure() {
  said=$(head -n 1 "$work/stderr")
  if [ "$status" = 124 ]; then
    reason='time limit'
  elif grep -q -e 'have a resource type' -e 'no table named' -e 'unknown table' -e 'is not a valid command' -e 'not found in schema' "$work/stderr"; then
    lack 'unknown here' "$title" "$said"
    return
  elif [ "$root" = 0 ]; then
    reason='failed, not root'
  else
    reason=failed
  fi
  lack "$reason" "$title" "$said"
  say "$title: status $status: $said"
}

lacking_tools=' '
lack_tool() {
  case $lacking_tools in *" $1 "*) return ;; esac
  lacking_tools="$lacking_tools$1 "
  lack 'no such tool' "$1"
}

copy() {
  [ "$databases" = 1 ] && [ -n "$1" ] || return
  [ -r "$1" ] || { lack 'not readable' "$1"; return; }
  size=$(($(wc -c <"$1")))
  [ "$size" -le "$bytes" ] || { lack 'size limit' "$1"; say "$1: larger than $megabytes MB, left out"; return; }
  [ "$size" -le "$left" ] || { lack 'size limit of all' "$1"; say "$1: with it more than $total_megabytes MB, left out"; return; }
  left=$((left - size))
  cp "$1" "$work/$name/$2" && printf '%s\t0\t%s\t0\t%s\tcp %s\n' "$(now)" "$size" "$2" "$1" >>"$log" && useful=1
}

# A symbol of the kernel for each module, by which one that is built in shows.
symbol_of() {
  case $1 in
    nf_tables) echo nft_do_chain ;;
    ip_tables) echo ipt_do_table ;;
    ip6_tables) echo ip6t_do_table ;;
    ip_set) echo ip_set_alloc ;;
    nf_conntrack_netlink) echo ctnetlink_dump_table ;;
    xfrm_user) echo xfrm_user_rcv_msg ;;
  esac
}

# A tool would load the module to look at it; what is not loaded holds nothing.
loaded() {
  [ -d /sys/module ] || return 0
  for module; do
    [ ! -d "/sys/module/$module" ] || return 0
    grep -q "/$module\.ko" "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null && return 0
    grep -q " $(symbol_of "$module")\$" /proc/kallsyms 2>/dev/null && return 0
  done
  return 1
}
# run_loaded "MODULE…" COMMAND…: where one of the modules is loaded.
run_loaded() {
  modules=$1
  shift
  # shellcheck disable=SC2086 # names of modules
  if loaded $modules; then run "$@"; else lack 'module not loaded' "$*" "$modules"; fi
}

gather_host() {
  run hostname
  for what in 'ip -d addr' 'ip -4 rule list' 'ip route show table all'; do
    # shellcheck disable=SC2086 # words of a command
    run $what && useful=1
  done
  run ip -s -d link
  run ip -6 rule list
  run ip -6 route show table all
  run ip -s -s neigh show
  run ip vrf show
  run bridge -d vlan show
  run bridge vlan tunnelshow
  run bridge vni show
  run bridge fdb show
  run ip nexthop show
  mask=mask_keys
  run sysctl -a
  mask='cat'
  run ss -tulpan
  run_loaded nf_tables nft -a list ruleset && useful=1
  run_loaded 'nf_tables ip_tables' iptables-save -c && useful=1
  run_loaded 'nf_tables ip6_tables' ip6tables-save -c
  run_loaded ip_set ipset save
  run_loaded nf_conntrack_netlink conntrack -L -o extended
  run_loaded xfrm_user ip xfrm policy
  run_loaded xfrm_user ip xfrm state list nokeys
  run ipsec status
  run ipsec trafficstatus
  run ipsec whack --listall
  gather_counters
  gather_traffic_control
  gather_routing_daemon
}

gather_counters() {
  run nstat -asz
  for file in snmp snmp6 netstat softnet_stat; do
    if [ -r "/proc/net/$file" ]; then run cat "/proc/net/$file"; fi
  done
  for device in /sys/class/net/*; do
    [ -e "$device/device" ] || continue
    run ethtool -S "${device##*/}"
    run ethtool -k "${device##*/}"
  done
}

gather_traffic_control() {
  run bpftool net
  run tc qdisc show || return
  sed -n -e 's/^qdisc clsact .* dev \([^ ]*\) .*/\1 ingress egress/p' -e 's/^qdisc ingress .* dev \([^ ]*\) .*/\1 ingress/p' \
    "$work/$name/$file" >"$work/classified"
  while read -r device directions; do
    for direction in $directions; do run tc filter show dev "$device" "$direction"; done
  done <"$work/classified"
}

gather_routing_daemon() {
  has vtysh || return
  within vtysh -c 'show version' </dev/null >/dev/null 2>&1 || { lack 'no routing daemon answers' vtysh; return; }
  mask=mask_keys
  for what in 'running-config' 'ip route' 'ip bgp' 'ipv6 route' 'bfd peers'; do
    run_as "vtysh -c show $what" vtysh -c "show $what"
  done
  mask='cat'
}

# find_inside COMMAND…: sets `inside` to "" where COMMAND works on the node itself, to "crictl exec ID" where it does in a
# container. Only containers that are called like parts of OVS and OVN are asked.
find_inside() {
  inside=''
  has_time || return 1
  if has "$1" && within "$@" </dev/null >/dev/null 2>&1; then return 0; fi
  has crictl || return 1
  [ -n "${containers+known}" ] || containers=$(within crictl ps -q --name 'ovs|ovn|openvswitch|nbdb|sbdb' 2>/dev/null </dev/null | head -n 20)
  for id in $containers; do
    has_time || return 1
    if within crictl exec "$id" "$@" </dev/null >/dev/null 2>&1; then inside="crictl exec $id"; return 0; fi
  done
  return 1
}
# shellcheck disable=SC2086 # words of a command
run_inside() { run_as "$*" $inside "$@"; }

gather_switch() {
  find_inside ovs-vsctl -t 5 list-br || { lack 'no Open vSwitch answers' 'ovs-vsctl, ovs-ofctl, ovs-appctl'; return; }
  # shellcheck disable=SC2086 # words of a command
  within $inside ovs-vsctl -t 5 list-br >"$work/list" 2>/dev/null </dev/null
  tr -d '\r' <"$work/list" | grep '^[A-Za-z0-9_.-][A-Za-z0-9_.-]*$' >"$work/bridges"
  mask=mask_keys
  run_inside ovs-vsctl -t 20 show
  for table in Open_vSwitch bridge port interface; do run_inside ovs-vsctl -t 20 list "$table"; done
  mask='cat'
  dump_flows
  first_dump=$(now)
  while read -r bridge; do
    run_inside ovs-ofctl -O OpenFlow15 dump-groups "$bridge"
    run_inside ovs-ofctl -O OpenFlow15 dump-meters "$bridge"
    run_inside ovs-ofctl show "$bridge"
    run_inside ovs-ofctl dump-tlv-map "$bridge"
    run_inside ovs-appctl fdb/show "$bridge"
  done <"$work/bridges"
  for what in 'dpctl/dump-flows -m' 'dpctl/dump-conntrack -m' dpctl/show tnl/arp/show ovs/route/show ofproto/list-tunnels \
    'tnl/ports/show -v' bond/show dpctl/ct-get-limits dpctl/ct-get-maxconns dpctl/ct-get-nconns; do
    # shellcheck disable=SC2086 # words of a command
    run_inside ovs-appctl $what
  done
  gather_second_dump
}

dump_flows() {
  while read -r bridge; do
    if run_inside ovs-ofctl dump-flows "$bridge"; then useful=1; fi
  done <"$work/bridges"
}

# Counters of two moments give rates. The second dump lies in later/, so that it does not pass for one of the first's moment.
gather_second_dump() {
  [ "$pause" -gt 0 ] && [ -s "$work/bridges" ] || return
  rest=$((pause - $(now) + first_dump))
  [ "$rest" -le 0 ] || sleep "$rest"
  mkdir -p "$work/$name/later"
  folder=later/
  dump_flows
  folder=''
}

# The databases may answer in one container, ovn-controller in another.
gather_ovn() {
  if find_inside ovn-nbctl --no-leader-only -t 5 --columns=_uuid list NB_Global; then
    gather_northbound
  else
    lack 'no database answers' ovn-nbctl
  fi
  if find_inside ovn-sbctl --no-leader-only -t 5 --columns=_uuid list SB_Global; then
    gather_southbound
  else
    lack 'no database answers' ovn-sbctl
  fi
  if find_inside ovn-appctl -t ovn-controller version; then
    run_inside ovn-appctl -t ovn-controller ct-zone-list
    run_inside ovn-appctl -t ovn-controller connection-status
  else
    lack 'no ovn-controller answers' ovn-appctl
  fi
}

# cluster_status SOCKET DATABASE: a database that is not clustered has no such command.
cluster_status() {
  # shellcheck disable=SC2086 # words of a command
  within $inside ovn-appctl -t "$1" cluster/status "$2" </dev/null >/dev/null 2>&1 || return
  run_inside ovn-appctl -t "$1" cluster/status "$2"
}

gather_northbound() {
  run_inside ovn-nbctl --no-leader-only show && useful=1
  for table in NB_Global Logical_Switch Logical_Switch_Port Logical_Router Logical_Router_Port Logical_Router_Policy \
    Logical_Router_Static_Route NAT Load_Balancer Load_Balancer_Group ACL Port_Group Address_Set Static_MAC_Binding QoS \
    Meter Meter_Band BFD DNS DHCP_Options HA_Chassis HA_Chassis_Group Gateway_Chassis Load_Balancer_Health_Check Copp \
    Forwarding_Group Mirror Mirror_Rule Chassis_Template_Var Sample Sample_Collector Sampling_App Network_Function \
    Network_Function_Group; do
    run_inside ovn-nbctl --no-leader-only list "$table"
  done
  cluster_status /var/run/ovn/ovnnb_db.ctl OVN_Northbound
}

gather_southbound() {
  run_inside ovn-sbctl --no-leader-only show
  run_inside ovn-sbctl --no-leader-only --uuid lflow-list && useful=1
  for table in SB_Global Chassis Chassis_Private Encap Datapath_Binding Port_Binding MAC_Binding Static_MAC_Binding FDB \
    Load_Balancer Address_Set Port_Group Multicast_Group IGMP_Group IP_Multicast BFD DNS DHCP_Options Meter Meter_Band \
    Gateway_Chassis HA_Chassis HA_Chassis_Group Service_Monitor ECMP_Nexthop Advertised_Route Learned_Route \
    Chassis_Template_Var Mirror; do
    run_inside ovn-sbctl --no-leader-only list "$table"
  done
  cluster_status /var/run/ovn/ovnsb_db.ctl OVN_Southbound
}

first_of() {
  for candidate; do
    if [ -e "$candidate" ]; then printf '%s\n' "$candidate"; return; fi
  done
}

gather_databases() {
  copy "$(first_of /etc/openvswitch/conf.db /var/lib/openvswitch/conf.db /var/lib/openvswitch/etc/conf.db)" conf.db
  for database in ovnnb_db.db ovnsb_db.db; do
    copy "$(first_of "/var/lib/ovn-ic/etc/$database" "/var/lib/ovn/etc/$database" "/etc/ovn/$database" \
      "/var/lib/ovn/$database")" "$database"
  done
}

# --- network namespaces -----------------------------------------------------------------------------------------------

# shellcheck disable=SC2012 # a number and nothing else of it is read
inode_of() { ls -Li "$1" 2>/dev/null | awk '{ print $1; exit }'; }

# add_namespace LABEL PATH: each namespace once, the node's own and that of init never.
add_namespace() {
  inode=$(inode_of "$2")
  [ -n "$inode" ] && [ "$inode" != "$own_inode" ] && [ "$inode" != "$init_inode" ] || return
  case $seen in *" $inode "*) return ;; esac
  seen="$seen$inode "
  printf '%s\t%s\n' "$(printf %s "$1" | tr -c 'A-Za-z0-9._-' _)" "$2" >>"$work/namespaces"
}

# Those of pods first, which get the pods' names (NAMESPACE_POD: neither has a _), then what ip netns knows, then others.
find_namespaces() {
  own_inode=$(inode_of /proc/self/ns/net) init_inode=$(inode_of /proc/1/ns/net) seen=' '
  : >"$work/namespaces"
  if has crictl; then
    within crictl pods -q --state ready </dev/null 2>/dev/null | head -n "$most_pods" >"$work/pods"
    while read -r id; do
      has_time || break
      within crictl inspectp -o go-template --template "$namespace_template" "$id" </dev/null >"$work/pod" 2>/dev/null || continue
      read -r pod path <"$work/pod"
      [ -z "$path" ] || add_namespace "$pod" "$path"
    done <"$work/pods"
  fi
  for path in /run/netns/* /var/run/netns/*; do
    [ ! -e "$path" ] || add_namespace "${path##*/}" "$path"
  done
  has lsns || return
  within lsns -n -t net -o PID </dev/null 2>/dev/null >"$work/pids"
  while read -r pid; do add_namespace "pid-$pid" "/proc/$pid/ns/net"; done <"$work/pids"
}
namespace_template='{{.status.metadata.namespace}}_{{.status.metadata.name}} {{range .info.runtimeSpec.linux.namespaces}}{{if eq .type "network"}}{{.path}}{{end}}{{end}}'

# run_there COMMAND…: in the pod's network namespace that gather_namespaces has come to.
run_there() {
  has "$1" && run_as "ip netns exec $label $*" nsenter "--net=$path" "$@"
}

# What is printed in a namespace is named as sos does, however it was entered, so that it does not pass for the node's.
gather_namespaces() {
  [ "$most_pods" -gt 0 ] || return
  [ "$root" = 1 ] || { lack 'not root' 'network namespaces of pods'; return; }
  has nsenter || { lack_tool nsenter; return; }
  find_namespaces
  [ -s "$work/namespaces" ] || return
  mkdir -p "$work/$name/netns"
  head -n "$most_pods" "$work/namespaces" >"$work/some"
  [ "$(wc -l <"$work/some")" -eq "$(wc -l <"$work/namespaces")" ] || lack 'more pods than -p' 'network namespaces'
  { printf '# name\tnetwork namespace\n'; cat "$work/some"; } >"$work/$name/netns/names.tsv"
  while read -r label path; do
    folder=netns/$label/
    mkdir -p "$work/$name/$folder"
    for what in 'ip -d addr' 'ip rule list' 'ip -6 rule list' 'ip route show table all' 'ip -6 route show table all' 'ip -s -s neigh show' \
      'ss -tulpan'; do
      # shellcheck disable=SC2086 # words of a command
      run_there $what
    done
    mask=mask_keys
    run_there sysctl -a -r '\.(rp_filter|accept_local)$'
    mask='cat'
    loaded nf_tables ip_tables && run_there iptables-save
    loaded nf_tables ip6_tables && run_there ip6tables-save
    loaded nf_tables && run_there nft list ruleset
  done <"$work/some"
  folder=''
}

# --- logs -------------------------------------------------------------------------------------------------------------

# log_of NAME COMMAND…: the last lines of a log as var/log/NAME.log; it begins nothing like a dump.
log_of() {
  title=$1
  shift
  run_as "$title.log" "$@"
}

gather_logs() {
  [ "$log_lines" -gt 0 ] || return
  mkdir -p "$work/$name/var/log"
  folder=var/log/ mask=mask_logs
  for path in /var/log/openvswitch/ovs-vswitchd.log /var/log/openvswitch/ovsdb-server.log /var/log/ovn/ovn-controller.log \
    /var/log/openvswitch/ovn-controller.log /var/log/ovn-kubernetes/*.log; do
    [ ! -r "$path" ] || log_of "log-$(basename "$path" .log)" tail -n "$log_lines" "$path"
  done
  if has crictl; then
    for container in ovn-controller ovnkube-controller ovnkube-node ovnkube-cluster-manager ovs-daemons ovs-vswitchd; do
      id=$(within crictl ps -q --name "^$container\$" </dev/null 2>/dev/null | head -n 1)
      # crictl hands the container's standard error on as its own.
      # shellcheck disable=SC2016 # of the inner shell
      [ -z "$id" ] || log_of "container-$container" sh -c 'crictl logs --tail "$1" "$2" 2>&1' sh "$log_lines" "$id"
    done
  fi
  if has journalctl && [ -d /run/systemd/system ]; then
    for unit in ovs-vswitchd ovn-controller ovs-configuration; do
      log_of "journal-$unit" journalctl --no-pager -q -n "$log_lines" -u "$unit"
    done
  fi
  find "$work/$name/var" -type f -size 0 -exec rm -f {} +
  rmdir "$work/$name/var/log" "$work/$name/var" 2>/dev/null
  folder='' mask='cat'
}

# --- Kubernetes -------------------------------------------------------------------------------------------------------

gather_objects() {
  client=oc
  has oc || client=kubectl
  has "$client" || { echo "collect: -k needs oc or kubectl" >&2; exit 2; }
  mask=mask_environment
  for kind in nodes namespaces pods services endpointslices networkpolicies egressips egressservices egressfirewalls \
    egressqoses adminpolicybasedexternalroutes userdefinednetworks clusteruserdefinednetworks routeadvertisements \
    adminnetworkpolicies baselineadminnetworkpolicies clusternetworkpolicies dnsnameresolvers network-attachment-definitions \
    networkqoses clusternetworkconnects vteps uplinks uplinkstates networks.config.openshift.io \
    networks.operator.openshift.io cloudprivateipconfigs ipamclaims ipaddresspools.metallb.io l2advertisements.metallb.io \
    bgpadvertisements.metallb.io bgppeers.metallb.io bfdprofiles.metallb.io communities.metallb.io servicel2statuses.metallb.io \
    servicebgpstatuses.metallb.io frrconfigurations.frrk8s.metallb.io frrnodestates.frrk8s.metallb.io \
    bgpsessionstates.frrk8s.metallb.io nodenetworkstates.nmstate.io nodenetworkconfigurationpolicies.nmstate.io; do
    if run "$client" get "$kind" --all-namespaces -o yaml; then useful=1; fi
  done
  mask='cat'
}

# --- the whole --------------------------------------------------------------------------------------------------------

gather_node() {
  [ "$root" = 1 ] || { lack 'not root' "most of the host's dumps"; say "not root: much will be missing"; }
  gather_host
  gather_switch
  gather_ovn
  gather_databases
  gather_namespaces
  gather_logs
}

# A line for each reason, with the first of what it concerns.
say_what_is_missing() {
  [ "$quiet" = 0 ] || return
  awk -F '\t' '/^#/ { next } $1 == "unknown here" { next }
    !($1 in count) { order[++reasons] = $1 }
    ++count[$1] <= 6 { what[$1] = what[$1] (count[$1] > 1 ? ", " : "") $2 }
    END {
      for (i = 1; i <= reasons; ++i) {
        r = order[i]
        print "collect: missing (" r "): " what[r] (count[r] > 6 ? " and " count[r] - 6 " more" : "")
      }
    }' "$missing" >&2
}

write_archive() {
  [ -n "$out" ] || out=egtrace-$name-$(date -u +%Y%m%dT%H%M%SZ).tar.gz
  if has gzip; then pack='gzip'; else pack='cat'; fi
  if [ "$out" = - ]; then
    pack_node | $pack || exit 2
  else
    pack_node | $pack >"$out" || exit 2
    say "wrote $out"
  fi
  [ ! -e "$work/failed" ] || { echo "collect: the archive is not whole" >&2; exit 2; }
}
pack_node() { (cd "$work" && tar -cf - "$name") || : >"$work/failed"; }

main() {
  read_options "$@"
  prepare
  if [ "$objects" = 1 ]; then gather_objects; else gather_node; fi
  say_what_is_missing
  write_archive
  [ "$useful" = 1 ] && return
  if [ "$objects" = 1 ]; then
    echo "collect: useless: not one object of the cluster" >&2
  else
    echo "collect: useless: neither dumps of the host nor flows nor databases" >&2
  fi
  exit 1
}

# Read as a whole before anything runs: it may come by a pipe, which no command may empty.
main "$@" </dev/null
exit 0
