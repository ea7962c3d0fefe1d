"""Uses an MCP server through the official SDK and prints what came of it, a line each."""

import asyncio
import sys

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

URL, KEY, MODE, SHARING = sys.argv[1:5]


def text(result):
    return result.content[0].text


async def model(context, params):
    return types.CreateMessageResult(
        role="assistant", model="m", content=types.TextContent(type="text", text="from the model")
    )


async def main():
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}, timeout=60)
    transport = streamable_http_client(URL, http_client=http)
    async with http, Client(transport, mode=MODE, sampling_callback=model) as client:
        print("tools", *sorted(tool.name for tool in (await client.list_tools()).tools))
        print("echo", text(await client.call_tool("echo", {"text": "grüße 🚀"})))
        steps = []

        async def seen(done, total, message):
            steps.append(f"{done:g}/{total:g}")

        await client.call_tool("count", {"steps": 3}, progress_callback=seen)
        print("count", *steps)
        answers = await asyncio.gather(
            *(client.call_tool("echo", {"text": str(i)}) for i in range(20))
        )
        print("at once", *map(text, answers))
        try:
            await client.call_tool("wait", {"text": f"{MODE} {SHARING}"}, read_timeout_seconds=1)
        except Exception as e:
            print("wait", type(e).__name__)
        asked = await client.call_tool("ask", {"text": "hello"})
        print("ask", asked.is_error, text(asked))


asyncio.run(main())
