#!/usr/bin/env bash
# Do `ravel bench --slurm` and `ravel cubes --slurm` work with a real Slurm? Starts a controller and a daemon on this machine, submits a suite, kills a job in the middle,
# and compares the table with that of a run without Slurm; then the same with the parts of one hard task.
#
# Needs root and Debian's packages slurm-wlm and munge:   apt-get install slurm-wlm munge
# Use:                                                    contrib/slurm/try.sh [RAVEL] [SUITE] [MORE OPTIONS OF RAVEL BENCH]
set -eu
cd "$(dirname "$0")/../.."
ravel=${1:-target/release/ravel}
suite=${2:-examples}
shift $(($# < 2 ? $# : 2))
ravel=$(realpath "$ravel")
work=$(mktemp -d)
host=$(hostname -s)
mkdir -p "$work/state" "$work/spool" /run/munge /var/log/munge /etc/munge

stop() {
  for daemon in slurmd slurmctld munged; do
    if [ -e "$work/$daemon.pid" ]; then
      pid=$(cat "$work/$daemon.pid")
      kill "$pid" 2>/dev/null || true
      while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done # it still writes its state
    fi
  done
  rm -rf "$work"
}
trap stop EXIT

[ -e /etc/munge/munge.key ] || dd if=/dev/urandom of=/etc/munge/munge.key bs=1 count=1024 status=none
chown -R munge: /etc/munge /run/munge /var/log/munge
chmod 400 /etc/munge/munge.key
chmod 755 /run/munge
cat > "$work/slurm.conf" <<CONF
ClusterName=try
SlurmctldHost=$host
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ReturnToService=2
NodeName=$host CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
start() { "$@" || { echo "$1 does not start"; exit 1; }; }
if ! munge -n >/dev/null 2>&1; then
  start setpriv --reuid=munge --regid=munge --clear-groups munged --pid-file=/run/munge/munged.pid
  cp /run/munge/munged.pid "$work/munged.pid"
fi
start slurmctld -f "$SLURM_CONF"
start slurmd -f "$SLURM_CONF"
for _ in $(seq 60); do
  sinfo --noheader --format=%T 2>/dev/null | grep -q idle && break
  sleep 1
done
sinfo

echo "== without Slurm"
"$ravel" bench "$suite" --jobs 1 "$@" --results "$work/whole.jsonl" | tee "$work/whole.txt" | tail -1

echo "== an array of four, one of its jobs killed twice"
"$ravel" bench "$suite" --jobs 1 "$@" --results "$work/shards" --slurm --array-size 4 > "$work/array.txt" &
array=$!
killed=0
for _ in $(seq 600); do
  kill -0 "$array" 2>/dev/null || break
  lines=$(cat "$work/shards/2.jsonl" 2>/dev/null | wc -l)
  if [ "$killed" -lt 2 ] && [ "$lines" -gt $((killed + 1)) ]; then
    job=$(squeue --noheader --array --states=R --format='%A %K' | awk '$2 == 2 { print $1; exit }')
    if [ -n "$job" ] && scancel --signal=KILL --full "$job"; then killed=$((killed + 1)); fi
  fi
  sleep 0.2
done
wait "$array"
tail -1 "$work/array.txt"
echo "killed $killed times"

# What took how long differs; everything else must not.
counts() { sed -n 's/^\(correct.*\) in .*/\1/p' "$1" | tail -1; }
tasks() { tail -q -n +2 "$@" | jq -c '[.question, .task, .property, .engine, .result, .outcome]' | sort; }
if command -v jq >/dev/null; then
  diff <(tasks "$work/whole.jsonl") <(tasks "$work"/shards/*.jsonl)
fi
[ "$(counts "$work/whole.txt")" = "$(counts "$work/array.txt")" ] || { echo "the tables differ"; exit 1; }
[ "$killed" -gt 0 ] || { echo "no job was killed: the suite is too short for this test"; exit 1; }
echo "the tables are the same"

echo "== one hard task as an array of four, one of its jobs killed"
cat > "$work/adds.c" <<'C'
#include <assert.h>
#include <pthread.h>
int x;
void *adds(void *arg) { for (int i = 0; i < 4; i++) { int r = x; x = r + 1; } return 0; }
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, adds, 0);
    pthread_create(&b, 0, adds, 0);
    pthread_create(&c, 0, adds, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(x != 1);
    return 0;
}
C
"$ravel" verify "$work/adds.c" --property assert --cubes 24 --into "$work/parts" > /dev/null || true
"$ravel" cubes "$work/parts" --slurm --array-size 4 > "$work/cubes.txt" &
array=$!
killed=0
for _ in $(seq 600); do
  kill -0 "$array" 2>/dev/null || break
  if [ "$killed" -lt 1 ] && [ "$(ls "$work/parts/answers" | wc -l)" -gt 2 ]; then
    job=$(squeue --noheader --array --states=R --format='%A %K' | awk '{ print $1; exit }')
    if [ -n "$job" ] && scancel --signal=KILL --full "$job"; then killed=$((killed + 1)); fi
  fi
  sleep 0.2
done
wait "$array" || true
cat "$work/cubes.txt"
echo "killed $killed times"
[ "$(tail -1 "$work/cubes.txt")" = "RESULT: true" ] || { echo "the parts do not give the answer"; exit 1; }

echo "== the same in one go, and with a violation that ends the array early"
one_go() { # EXPECTED FILE FOLDER
  "$ravel" verify "$2" --property assert --cubes 24 --into "$3" --slurm > "$work/one.txt" || true
  tail -1 "$work/one.txt"
  case $(tail -1 "$work/one.txt") in
    "RESULT: $1"*) ;;
    *) cat "$work/one.txt"; echo "expected $1"; exit 1 ;;
  esac
  # Jobs that are ended leave the queue by and by.
  for _ in $(seq 50); do
    [ -z "$(squeue --noheader)" ] && return
    sleep 0.2
  done
  squeue
  echo "jobs are left"
  exit 1
}
one_go true "$work/adds.c" "$work/once"
sed 's/x != 1/x != 3/' "$work/adds.c" > "$work/lost.c"
one_go false "$work/lost.c" "$work/lost"
