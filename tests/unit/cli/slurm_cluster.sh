#!/bin/sh
# Starts Slurm of one node on loopback in a private folder, runs a command under it and stops it by its pids:
#   slurm_cluster.sh DIR COMMAND...
# Needs slurmctld, slurmd, munged, and root.
set -eu
dir=$1
shift
host=$(hostname -s)
mkdir -p "$dir/state" "$dir/spool"
chmod 755 "$dir"
dd if=/dev/urandom of="$dir/munge.key" bs=1024 count=1 2>/dev/null
chmod 400 "$dir/munge.key"
cat > "$dir/slurm.conf" <<CONF
ClusterName=egtrace
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/d.pid
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/d.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=defer_batch,bf_interval=1,sched_min_interval=100000
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=60
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=p Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$dir/slurm.conf"
munged --force --foreground --socket "$dir/munge.sock" --key-file "$dir/munge.key" --pid-file "$dir/munge.pid" \
       --log-file "$dir/munge.log" --seed-file "$dir/munge.seed" &
pids=$!
trap 'kill $pids 2>/dev/null || true; wait 2>/dev/null || true' EXIT INT TERM
while ! [ -S "$dir/munge.sock" ]; do sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" > "$dir/ctld.out" 2>&1 & pids="$pids $!"
slurmd -D -f "$SLURM_CONF" > "$dir/d.out" 2>&1 & pids="$pids $!"
tries=0
until sinfo --noheader --format=%t 2>/dev/null | grep -q idle; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { echo "the node is not idle" >&2; exit 1; }
  sleep 0.1
done
"$@"
