#!/bin/sh
# Plays a run on several machines with ssh and GNU parallel, and merges the shards:
# MACHINES=anna,user@berta,: SHARDS=12 ./shards-parallel.sh -p columns -s ./bot.py A machine named `:` is this one. The
# others must have this folder at the same path, and `judge` on their PATH.
machines=${MACHINES:-:}
shards=${SHARDS:-4}
# Each machine plays one shard at a time, on all its cores. Recorded cases are not played again.
seq "$shards" | parallel --quote --sshlogin "$machines" --jobs 1 --workdir "$PWD" \
    judge run "$@" --shard "{}/$shards" --journal "shard-{}.db" --resume
played=$?
judge merge 'shard-*.db' || exit
# The number of shards with cases that are not accepted.
exit "$played"
