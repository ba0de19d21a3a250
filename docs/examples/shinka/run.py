#!/usr/bin/env python3
"""Runs ShinkaEvolve in a folder with `initial.py` and `evaluate.py`, with one judge for all evaluations.

python3 shinka/run.py FOLDER RESULTS MODEL_ADDRESS [GENERATIONS]
"""
import os
import subprocess
import sys
from pathlib import Path

from judge_harness import Server

folder, results, model, generations, *_ = [*sys.argv[1:], "15"]
command = [Path(sys.executable).with_name("shinka_run"), "--task-dir", folder, "--results_dir", results]
command += ["--num_generations", generations, "--max-evaluation-jobs", "2"]
for setting in [
    f'evo.llm_models=["local/stub@{model}"]',
    "evo.embedding_model=null",
    'evo.patch_types=["full"]',
    "evo.patch_type_probs=[1.0]",
    "evo.use_text_feedback=true",
]:
    command += ["--set", setting]
with Server("columns") as server:
    sys.exit(subprocess.run(command, env={**os.environ, **server.environment()}).returncode)
