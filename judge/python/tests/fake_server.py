"""A stand-in for `judge serve` with responses that a real one rarely gives. The candidate's command says what to do."""

import json
import os
import sys
import time

held = []
DIRECTION = os.environ.get("DIRECTION", "max")


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def result(command):
    case = {"case": "seed-1", "verdict": "accepted", "score": 7, "cpu_ms": 1.5}
    return {"verdict": "accepted", "total": 7, "mean": 7, "failures": 0, "cases": [case], "feedback": command, "runs": 1}


def act(request):
    number, method, params = request.get("id"), request["method"], request.get("params", {})
    if method == "cancel":
        with open(os.environ["CANCELLED"], "a") as file:
            file.write(f"{params['id']}\n")
        return
    if method == "status":
        say({"id": number, "result": {"pid": os.getpid()}})
        return
    if method == "problems":
        say({"id": number, "result": {"problems": [{"problem": "columns", "rule": "sum", "direction": DIRECTION}]}})
        return
    command = params["solver"].get("command") or ""
    # A candidate's file or source contains the same instructions.
    if os.path.isfile(params["solver"].get("path", "")):
        with open(params["solver"]["path"]) as file:
            command = file.read()
    command = params["solver"].get("source", command).strip()
    if command == "die":
        print("out of luck\n" * 5000 + "the end", file=sys.stderr, flush=True)
        os._exit(3)
    elif command == "killed":
        os.kill(os.getpid(), 9)
    elif command == "hold":
        held.append(number)
    elif command == "release":
        # In the reverse order of the requests.
        for waiting in [number, *reversed(held)]:
            say({"id": waiting, "result": result(str(waiting))})
        held.clear()
    elif command == "garbage":
        print("this is no JSON", flush=True)
    elif command == "full":
        say({"id": number, "error": {"code": -32001, "message": "the queue is full"}})
    elif command == "refuse":
        data = {"message": "no problem `colums`", "hint": "did you mean `columns`?"}
        say({"id": number, "error": {"code": -32602, "message": "wrong", "data": data}})
    elif command == "progress":
        for done in (1, 2):
            say({"method": "progress", "params": {"id": number, "state": "running", "done": done, "cases": 2}})
        say({"id": number, "result": result("")})
    elif command == "exact":
        digits = "1" + "0" * 9000
        print(
            '{"jsonrpc": "2.0", "id": %d, "result": {"verdict": "accepted", "total": %s, "mean": 0.1, "failures": 0,'
            ' "cases": [{"case": "<b>", "verdict": "accepted", "score": 12.50}]}}' % (number, digits),
            flush=True,
        )
    elif command.startswith("scores "):
        scores = command.split()[1:]
        cases = [
            {"case": f"seed-{seed}", "verdict": "accepted", "score": int(score)}
            if score != "x"
            else {"case": f"seed-{seed}", "verdict": "wrong-answer", "note": "no"}
            for seed, score in enumerate(scores, 1)
        ]
        known = [case["score"] for case in cases if "score" in case]
        document = {"verdict": "wrong-answer", "failures": scores.count("x"), "cases": cases, "feedback": "bad"}
        if "x" not in scores:
            document.update(verdict="accepted", total=sum(known), mean=sum(known) // len(known), feedback="good")
        say({"id": number, "result": document})
    elif command == "sealed":
        say({"id": number, "result": {"total": 5, "failures": 2}})
    else:
        say({"id": number, "result": result(" ".join(sys.argv[1:]) + "|" + json.dumps(params))})


if "--deaf" in sys.argv:
    time.sleep(600)
for line in sys.stdin:
    act(json.loads(line))
