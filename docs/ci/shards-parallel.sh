#!/bin/sh
# Plays a run on several machines with ssh and GNU parallel, and merges the shards:
#   MACHINES=anna,user@berta,: SHARDS=12 ./shards-parallel.sh -p columns -s ./bot.py
# A machine named `:` is this one. The others see this folder under the same path, and have a judge on their path.
machines=${MACHINES:-:}
shards=${SHARDS:-4}
# Each machine plays one shard at a time, on all its cores. What was played before is not played again.
seq "$shards" | parallel --quote --sshlogin "$machines" --jobs 1 --workdir "$PWD" \
    judge run "$@" --shard "{}/$shards" --journal "shard-{}.db" --resume
played=$?
judge merge 'shard-*.db' || exit
# How many shards have cases that are not accepted.
exit "$played"
