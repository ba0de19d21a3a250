#!/usr/bin/env python3
"""Stands in for the server of a language model: answers requests in OpenAI's form with changes of a bot from a list.

python3 model_stub.py columns_bot.py      # prints its address and answers until it is ended

Some of the changes are what models write on a bad day: programs that hang, start others without end, or look for secrets.
"""
import itertools
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CHANGES = [
    "while True: pass",
    "WEIGHTS = (1.0, 0.0, 0.0)",
    "import os\nwhile True: os.fork()",
    "WEIGHTS = (0.0, 0.0, 0.0)",
    "import os, sys\nprint(os.environ, open(os.path.expanduser('~/secret')).read())\nsys.exit()",
    "WEIGHTS = (0.0, 0.0, -1.0",
    "WEIGHTS = (3.0, 1.0, -1.0)",
]
BLOCK = re.compile(r"(# EVOLVE-BLOCK-START\n).*?(# EVOLVE-BLOCK-END)", re.DOTALL)


def changed(program, change):
    """Returns the program with the change in place of its block."""
    whole, found = BLOCK.subn(lambda block: f"{block[1]}{change}\n{block[2]}", program)
    if not found:
        sys.exit("the program has no line `# EVOLVE-BLOCK-START`, or none `# EVOLVE-BLOCK-END` after it")
    return whole


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        program = next(self.server.programs)
        content = f"<NAME>\nchange\n</NAME>\n<DESCRIPTION>\nOther weights.\n</DESCRIPTION>\n<CODE>\n```python\n{program}```\n</CODE>\n"
        message = {"role": "assistant", "content": content}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "stub",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    bot = Path(sys.argv[1]).read_text()
    server.programs = itertools.cycle([changed(bot, change) for change in CHANGES])
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
