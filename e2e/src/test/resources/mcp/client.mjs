// Uses an MCP server through the official SDK and prints what came of it, a line each. Its connection is cut in the middle of a call.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [url, key, sharing] = process.argv.slice(2);
const text = (result) => result.content[0].text;
const print = (...words) => console.log(words.join(' '));

// Fails the body of the first reply that is cut, as a network does.
let cut = false;
async function unsteady(input, init) {
  const response = await fetch(input, init);
  if (!cut || init.method !== 'POST' || !response.body) return response;
  cut = false;
  const reader = response.body.getReader();
  const body = new ReadableStream({
    async start(controller) {
      const { value } = await reader.read(); // the event that the client may go on from
      controller.enqueue(value);
      await reader.cancel();
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${key}` } },
  fetch: unsteady,
});
const client = new Client({ name: 'test', version: '1' }, { capabilities: { sampling: {} } });
client.setRequestHandler(CreateMessageRequestSchema, async () => ({
  role: 'assistant', model: 'm', content: { type: 'text', text: 'from the model' },
}));
await client.connect(transport);
print('session', /^mcp_[a-z0-9]{26}$/.test(transport.sessionId), client.getServerVersion().name);
const steps = [];
await client.callTool({ name: 'count', arguments: { steps: 3 } }, undefined, {
  onprogress: ({ progress, total }) => steps.push(`${progress}/${total}`),
});
print('count', ...steps);
cut = true;
print('cut off', text(await client.callTool({ name: 'pause', arguments: { text: 'resumed' } })));
const abort = new AbortController();
const waiting = client.callTool({ name: 'wait', arguments: { text: sharing } }, undefined, { signal: abort.signal });
setTimeout(() => abort.abort('enough'), 200);
print('wait', await waiting.catch((e) => String(e)));
const asked = await client.callTool({ name: 'ask', arguments: { text: 'hello' } });
print('ask', Boolean(asked.isError), text(asked));
await transport.terminateSession();
print('ended', await client.callTool({ name: 'echo', arguments: {} }).catch((e) => e.code ?? e.message));
await client.close();
