"""A test with a fake `judge` that follows instructions."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from judge_harness import Judge


class WithServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "judge"
        server = Path(__file__).with_name("fake_server.py")
        self.program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{server}" "$@"\n')
        self.program.chmod(0o755)
        self.cancelled = self.folder / "cancelled"
        os.environ["CANCELLED"] = str(self.cancelled)
        self.judge = self.opened(Judge("columns", program=self.program))

    def opened(self, judge):
        self.addCleanup(judge.close)
        return judge

    def asked(self, **arguments):
        """Returns the server's command line and the params it received."""
        line, params = self.judge.evaluate(**arguments).feedback().split("|", 1)
        return line, json.loads(params)
