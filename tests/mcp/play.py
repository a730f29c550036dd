"""Plays the official Python client of the Model Context Protocol against a server: "ok NAME" or "FAIL NAME: why" a line.

    play.py REVISION stdio COMMAND ARGUMENT…
    play.py REVISION http URL KEY
"""

import sys
import traceback

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

REVISION, KIND, *WHERE = sys.argv[1:]
CASES = []


def case(function):
    CASES.append(function)
    return function


def server():
    if KIND == "stdio":
        return StdioServerParameters(command=WHERE[0], args=WHERE[1:])
    import httpx2
    from mcp.client.streamable_http import streamable_http_client
    return streamable_http_client(WHERE[0], http_client=httpx2.AsyncClient(headers={"Authorization": f"Bearer {WHERE[1]}"}, timeout=30))


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


@case
async def agrees_on_the_revision(client):
    assert client.protocol_version == REVISION, client.protocol_version
    assert client.server_info.name == "paddock"
    assert "sandbox" in client.instructions


@case
async def lists_and_calls_tools(client):
    tools = (await client.list_tools()).tools
    assert len(tools) == 28, [tool.name for tool in tools]
    assert (await call(client, "bash", commands="echo hi; exit 3"))["exit_code"] == 3
    made = await call(client, "sandbox_create", name="box")
    assert "out" in (await call(client, "sandbox_exec", command="echo out", sandbox_id=made["sandbox_id"]))["stdout"]


@case
async def errors_are_told(client):
    assert (await client.call_tool("sandbox_read_file", {"path": "/none"})).is_error
    try:
        await client.call_tool("none", {})
    except MCPError as error:
        assert error.code == -32602, error
    else:
        raise AssertionError("a tool that is not there was called")


@case
async def reads_resources(client):
    await call(client, "write_file", path="/a b.txt", content="text")
    resource = next(each for each in (await client.list_resources()).resources if each.name == "/a b.txt")
    assert (await client.read_resource(resource.uri)).contents[0].text == "text"
    assert len((await client.list_resource_templates()).resource_templates) == 2


@case
async def hears_of_resources_that_change(client):
    if REVISION < "2026":   # what it was told there goes to a handler of the client's own
        await client.subscribe_resource("paddock://session/watched")
        await client.unsubscribe_resource("paddock://session/watched")
        return
    async with client.listen(resource_subscriptions=["paddock://session/watched"]) as events:
        await call(client, "write_file", path="/watched", content="1")
        with anyio.fail_after(30):
            async for event in events:
                assert event.uri == "paddock://session/watched", event
                break


@case
async def a_call_that_is_given_up_ends(client):
    with anyio.move_on_after(0.5):
        await call(client, "sandbox_exec", command="while :; do :; done")
    assert "free" in (await call(client, "sandbox_exec", command="echo free"))["stdout"]
    await call(client, "sandbox_manage", action="remove", sandbox_id="box", force=True)


async def main():
    mode = REVISION if REVISION >= "2026" else "legacy"
    async with Client(server(), mode="auto" if mode == REVISION else mode, read_timeout_seconds=30) as client:
        for function in CASES:
            try:
                await function(client)
                print(f"ok {function.__name__}", flush=True)
            except Exception:
                print(f"FAIL {function.__name__}: {traceback.format_exc()[-1200:]!r}", flush=True)


anyio.run(main)
