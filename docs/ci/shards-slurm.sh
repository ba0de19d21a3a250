#!/bin/sh
# Plays a run as an array of sixteen tasks: sbatch shards-slurm.sh, in a folder that all nodes see, with the catalogue and the
# solver. Then: judge merge 'shard-*.db'
#SBATCH --job-name=judge
#SBATCH --array=1-16
#SBATCH --cpus-per-task=2
# A task whose node fails is restarted and continues where it stopped.
#SBATCH --requeue
#SBATCH --open-mode=append
judge run -p columns -s 'python3 bot.py' --jobs "$SLURM_CPUS_ON_NODE" --shard auto --journal "shard-$SLURM_ARRAY_TASK_ID.db" --resume
