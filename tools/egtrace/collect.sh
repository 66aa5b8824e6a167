#!/bin/sh
# Gathers what egtrace reads from one machine into one archive. It changes nothing: it only prints, loads no kernel
# module, and removes its temporary directory. POSIX sh; root sees most.
#
#   egtrace collect | ssh root@worker-1 sh -s -- -o - > worker-1.tar.gz
#   egtrace collect | oc debug -q node/worker-1 -- chroot /host sh -s -- -o - > worker-1.tar.gz
#   egtrace collect | oc exec -i -n NAMESPACE POD -c CONTAINER -- sh -s -- -o - > worker-1.tar.gz
#   egtrace collect | sh -s -- -k -o - > objects.tar.gz          (where oc or kubectl works)

usage() {
  cat <<'END'
usage: collect [-o FILE] [-n NAME] [-t SECONDS] [-T SECONDS] [-s MEGABYTES] [-S MEGABYTES] [-d] [-k] [-q]
  -o FILE       archive to write; - is standard output (default: egtrace-NAME-DATE.tar.gz here)
  -n NAME       name of the machine (default: its host name)
  -t SECONDS    the longest that one command may take (default 60)
  -T SECONDS    the longest that all may take together (default 900)
  -s MEGABYTES  the most that is kept of one command's output or one file (default 500)
  -S MEGABYTES  the most that is kept of all together (default 4000)
  -d            leave databases (conf.db, ovnnb_db.db, ovnsb_db.db) out
  -k            Kubernetes objects by oc or kubectl instead of this machine's dumps
  -q            say nothing while at work
Passwords and keys of routing daemons, tunnels and sysctl and the environment of containers are masked; databases are
copied as they are.
END
}

out='' name='' limit=60 total=900 megabytes=500 total_megabytes=4000 databases=1 objects=0 quiet=0
while getopts o:n:t:T:s:S:dkqh option; do
  case $option in
    o) out=$OPTARG ;;
    n) name=$OPTARG ;;
    t) limit=$OPTARG ;;
    T) total=$OPTARG ;;
    s) megabytes=$OPTARG ;;
    S) total_megabytes=$OPTARG ;;
    d) databases=0 ;;
    k) objects=1 ;;
    q) quiet=1 ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
for number in "$limit" "$total" "$megabytes" "$total_megabytes"; do
  case $number in
    '' | *[!0-9]* | 0*) echo "collect: $number is no positive number; see -h" >&2; exit 2 ;;
  esac
done

LC_ALL=C PATH=${PATH:-/bin}:/usr/sbin:/sbin:/usr/bin:/bin
export LC_ALL PATH
umask 077

has() { command -v "$1" >/dev/null 2>&1; }
say() { [ "$quiet" = 1 ] || echo "collect: $*" >&2; }
now() { date +%s; }

has tar || { echo "collect: there is no tar here; install it, or run this where it is" >&2; exit 2; }
[ -n "$name" ] || name=$(hostname 2>/dev/null || uname -n)
name=$(printf %s "$name" | tr -c 'A-Za-z0-9._-' _)
[ "$objects" = 0 ] || name=objects

work=$(mktemp -d "${TMPDIR:-/tmp}/egtrace.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
mkdir "$work/$name" || exit 2
log=$work/$name/egtrace-collect.tsv
printf '# egtrace collect 1: time\tstatus\tbytes\tcut\tfile\tcommand\n' >"$log"
begin=$(now)
bytes=$((megabytes * 1048576)) left=$((total_megabytes * 1048576))

# sos's rule for names of files: other characters become one _, / becomes a dot.
mangle() {
  printf '%s\n' "$*" | sed -e 's/[^A-Za-z0-9_.\/-]\{1,\}/_/g' -e 's/\//./g' -e 's/^[ ._-]*//' -e 's/[ ._-]*$//' | cut -c 1-200
}

# Kills a command that takes too long, also where timeout(1) is missing.
if has timeout; then
  within() { timeout "$limit" "$@"; }
else
  within() {
    "$@" &
    child=$!
    (sleep "$limit"; kill "$child") >/dev/null 2>&1 &
    guard=$!
    wait "$child"
    status=$?
    kill "$guard" 2>/dev/null
    [ "$status" -lt 128 ] || status=124
    return "$status"
  }
fi

# Secrets that no question about a packet needs. What -k gathers may have them in the environment of containers.
mask_keys() {
  sed -e 's/^\( *password \).*/\1(masked)/' -e 's/^\( *enable password \).*/\1(masked)/' \
    -e 's/^\( *neighbor [^ ]* password \).*/\1(masked)/' -e 's/^\( *username [^ ]* password \).*/\1(masked)/' \
    -e 's/^\( *key-string \).*/\1(masked)/' -e 's/^\( *[a-z]*-password [a-z]* \).*/\1(masked)/' \
    -e 's/^\( *isis password [a-z]* \).*/\1(masked)/' -e 's/\( authentication-key \).*/\1(masked)/' \
    -e 's/\( message-digest-key [0-9]* md5 \).*/\1(masked)/' -e 's/\( authentication string \).*/\1(masked)/' \
    -e 's/^\( *ip nhrp authentication \).*/\1(masked)/' \
    -e 's/^\(net[^ ]*\.tcp_fastopen_key = \).*/\1(masked)/' -e 's/^\(net[^ ]*\.stable_secret = \).*/\1(masked)/' \
    -e 's/\(psk="\)[^"]*/\1(masked)/g' -e 's/\(psk=\)[^",} ][^,} ]*/\1(masked)/g'
}
mask_environment() {
  awk 'BEGIN { env = -1; hidden = -1 }
    { match($0, /^ */); depth = RLENGTH; key = substr($0, depth + 1); item = key ~ /^- / }
    hidden >= 0 && (key == "" || depth > hidden) { next }
    { hidden = -1 }
    env >= 0 && key != "" && (depth < env || (depth == env && !item)) { env = -1 }
    { at = depth; while (sub(/^- /, "", key)) at += 2 }
    key == "env:" { env = at }
    (env >= 0 && key ~ /^value:/) || key ~ /^kubectl.kubernetes.io\/last-applied-configuration:/ {
      sub(/:.*/, ": (masked)"); hidden = at
    }
    { print }'
}

# run_as NAME COMMAND…: the output of COMMAND under the name of the command NAME.
run_as() {
  title=$1
  shift
  most=$bytes
  [ "$most" -le "$left" ] || most=$left
  [ "$most" -gt 0 ] && [ $(($(now) - begin)) -lt "$total" ] || { printf '%s\t-\t0\t0\t\t%s\n' "$(now)" "$title" >>"$log"; return; }
  has "$1" || return
  file=$(mangle "$title")
  # One byte more than the limit shows that there was more.
  { within "$@" </dev/null 2>"$work/stderr"; echo $? >"$work/status"; } | $mask | head -c $((most + 1)) >"$work/$name/$file"
  status=$(cat "$work/status")
  size=$(wc -c <"$work/$name/$file" | tr -d ' ')
  cut=0
  if [ "$size" -gt "$most" ]; then
    cut=1
    head -c "$most" "$work/$name/$file" >"$work/part" && mv "$work/part" "$work/$name/$file"
    size=$most
  fi
  left=$((left - size))
  if [ "$status" -ne 0 ] && [ "$cut" = 0 ]; then
    say "$title: status $status: $(head -n 1 "$work/stderr")"
    [ "$size" -gt 0 ] || { rm -f "$work/$name/$file"; file=; }
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(now)" "$status" "$size" "$cut" "$file" "$title" >>"$log"
}
mask=cat
run() { run_as "$*" "$@"; }

copy() {
  [ "$databases" = 1 ] && [ -r "$1" ] || return
  size=$(wc -c <"$1" | tr -d ' ')
  [ "$size" -le "$bytes" ] || { say "$1: larger than $megabytes MB, left out"; return; }
  [ "$size" -le "$left" ] || { say "$1: with it more than $total_megabytes MB, left out"; return; }
  left=$((left - size))
  cp "$1" "$work/$name/$2" && printf '%s\t0\t%s\t0\t%s\tcp %s\n' "$(now)" "$size" "$2" "$1" >>"$log"
}

# A tool would load the module to look at it; what is not loaded holds nothing.
loaded() {
  [ -d /sys/module ] || return 0
  for module; do [ -d "/sys/module/$module" ] && return 0; done
  return 1
}

gather_host() {
  run hostname
  run ip -d addr
  run ip -d link
  run ip -4 rule list
  run ip -6 rule list
  run ip route show table all
  run ip -6 route show table all
  run ip -s -s neigh show
  run ip vrf show
  run bridge -d vlan show
  run bridge fdb show
  mask=mask_keys
  run sysctl -a
  mask=cat
  run ss -tulpan
  if loaded nf_tables; then run nft -a list ruleset; fi
  if loaded nf_tables ip_tables; then run iptables-save -c; fi
  if loaded nf_tables ip6_tables; then run ip6tables-save -c; fi
  if loaded ip_set; then run ipset save; fi
  if loaded nf_conntrack_netlink; then run conntrack -L -o extended; fi
  if has vtysh; then
    mask=mask_keys
    for what in 'running-config' 'ip route' 'ip bgp' 'ipv6 route' 'bfd peers'; do
      run_as "vtysh -c show $what" vtysh -c "show $what"
    done
    mask=cat
  fi
}

gather_switch() {
  has ovs-vsctl && ovs-vsctl -t 5 list-br >"$work/bridges" 2>/dev/null || return
  mask=mask_keys
  run ovs-vsctl -t 20 show
  for table in Open_vSwitch bridge port interface; do run ovs-vsctl -t 20 list "$table"; done
  mask=cat
  while read -r bridge; do
    case $bridge in '' | *[!A-Za-z0-9_.-]*) continue ;; esac
    run ovs-ofctl dump-flows "$bridge"
    run ovs-ofctl -O OpenFlow15 dump-groups "$bridge"
    run ovs-ofctl -O OpenFlow15 dump-meters "$bridge"
    run ovs-ofctl show "$bridge"
    run ovs-ofctl dump-tlv-map "$bridge"
    run ovs-appctl fdb/show "$bridge"
  done <"$work/bridges"
  run ovs-appctl dpctl/dump-flows -m
  run ovs-appctl dpctl/dump-conntrack -m
  run ovs-appctl dpctl/show
  run ovs-appctl tnl/arp/show
  run ovs-appctl ovs/route/show
}

# "" here, "crictl exec ID" on a node whose OVN runs in a container; nothing to do without either.
find_ovn() {
  if has ovn-sbctl; then inside=''; return 0; fi
  has crictl || return 1
  for container in ovnkube-controller ovnkube-node ovn-controller nbdb; do
    id=$(within crictl ps -q --name "^$container\$" 2>/dev/null | head -n 1)
    if [ -n "$id" ]; then inside="crictl exec $id"; return 0; fi
  done
  return 1
}

gather_ovn() {
  find_ovn || return
  # shellcheck disable=SC2086 # words of a command
  ovn() { run_as "$*" $inside "$@"; }
  ovn ovn-nbctl --no-leader-only show
  ovn ovn-sbctl --no-leader-only show
  ovn ovn-sbctl --no-leader-only --uuid lflow-list
  for table in Logical_Router Logical_Router_Port Logical_Router_Policy Logical_Router_Static_Route NAT Logical_Switch \
    Logical_Switch_Port Load_Balancer Load_Balancer_Group ACL Port_Group Address_Set Static_MAC_Binding NB_Global; do
    ovn ovn-nbctl --no-leader-only list "$table"
  done
  for table in Chassis Encap Datapath_Binding Port_Binding MAC_Binding Static_MAC_Binding Load_Balancer Address_Set \
    Port_Group SB_Global; do
    ovn ovn-sbctl --no-leader-only list "$table"
  done
  ovn ovn-appctl -t ovn-controller ct-zone-list
  ovn ovn-appctl -t ovn-controller connection-status
  if [ -S /var/run/ovn/ovnnb_db.ctl ]; then ovn ovn-appctl -t /var/run/ovn/ovnnb_db.ctl cluster/status OVN_Northbound; fi
  if [ -S /var/run/ovn/ovnsb_db.ctl ]; then ovn ovn-appctl -t /var/run/ovn/ovnsb_db.ctl cluster/status OVN_Southbound; fi
}

first_of() {
  for candidate; do
    if [ -r "$candidate" ]; then printf '%s\n' "$candidate"; return; fi
  done
}

gather_databases() {
  copy "$(first_of /etc/openvswitch/conf.db /var/lib/openvswitch/conf.db)" conf.db
  for database in ovnnb_db.db ovnsb_db.db; do
    copy "$(first_of "/var/lib/ovn-ic/etc/$database" "/var/lib/ovn/etc/$database" "/etc/ovn/$database" \
      "/var/lib/ovn/$database")" "$database"
  done
}

gather_objects() {
  client=oc
  has oc || client=kubectl
  has "$client" || { echo "collect: -k needs oc or kubectl" >&2; exit 2; }
  mask=mask_environment
  for kind in nodes namespaces pods services endpointslices networkpolicies egressips egressservices egressfirewalls \
    egressqoses adminpolicybasedexternalroutes userdefinednetworks clusteruserdefinednetworks routeadvertisements \
    adminnetworkpolicies baselineadminnetworkpolicies dnsnameresolvers; do
    run "$client" get "$kind" --all-namespaces -o yaml
  done
}

if [ "$objects" = 1 ]; then
  gather_objects
else
  [ "$(id -u)" = 0 ] || say "not root: much will be missing"
  gather_host
  gather_switch
  gather_ovn
  gather_databases
fi

[ -n "$out" ] || out=egtrace-$name-$(date -u +%Y%m%dT%H%M%SZ).tar.gz
if has gzip; then pack=gzip; else pack=cat; fi
if [ "$out" = - ]; then
  (cd "$work" && tar -cf - "$name") | $pack
else
  (cd "$work" && tar -cf - "$name") | $pack >"$out" || exit 2
  say "wrote $out"
fi
