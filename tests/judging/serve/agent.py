"""An agent with the client of the package `mcp`: `agent.py JUDGE`, in a folder with the problem `columns`."""

import asyncio
import json
import sys

import jsonschema
from mcp import Client, StdioServerParameters

SLOW = "read n; sleep 0.1; echo $n"


async def main(judge: str) -> None:
    server = StdioServerParameters(command=judge, args=["mcp", "--jobs", "1", "--journal", "evolved.db"])
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == ["check", "compare", "evaluate", "history", "list_problems"], sorted(tools)

        async def call(name, arguments, **more):
            # The client compares results with the schema of the tool itself; this one does not rely on it.
            result = await client.call_tool(name, arguments, **more)
            schema = tools[name].output_schema
            if schema and result.structured_content is not None:
                jsonschema.validate(result.structured_content, schema)
            assert result.is_error or not schema or result.structured_content is not None, (name, result)
            return result

        told = []

        async def progress(done, total, message):
            told.append((done, total, message))

        shell = {"language": "shell", "seeds": "1-8"}
        slow = await call("evaluate", {"source": SLOW, **shell}, progress_callback=progress)
        assert not slow.is_error and slow.structured_content["total"] == 36, slow
        assert told and told == sorted(told) and told[-1][1] == 8, told
        wrong = await call("evaluate", {"source": "echo no >&2; exit 3", **shell})
        assert wrong.is_error and "exit code 3" in wrong.content[0].text, wrong
        refused = await call("evaluate", {"source": "x", "language": "shell", "seeds": "x"})
        assert refused.is_error and "params.seeds" in refused.content[0].text, refused
        sides = {side: {"source": f"echo {score}", "language": "shell"} for side, score in (("a", 1), ("b", 2))}
        assert not (await call("compare", {**sides, "seeds": "1-8"})).is_error
        assert not (await call("check", {"seed": 1, "answer": "5\n"})).is_error
        assert (await call("check", {"seed": 1, "answer": "five\n"})).is_error
        assert "columns" in json.dumps((await call("list_problems", {})).structured_content)
        runs = (await call("history", {})).structured_content["runs"]
        assert len(runs) == 2, runs
        assert not (await call("history", {"run": 1})).is_error
        for resource in (await client.list_resources()).resources:
            read = await client.read_resource(str(resource.uri))
            assert read.contents[0].text, resource
        for call_of in (client.read_resource("file:///etc/passwd"), client.call_tool("shell", {})):
            try:
                await call_of
            except Exception as error:
                assert "-32602" in str(error) or "known" in str(error) or "no " in str(error), repr(error)
            else:
                raise AssertionError("an unknown name is an error")
    print("agent: well done")


asyncio.run(main(sys.argv[1]))
