// Runs before the suite, for what it has no option for:
//   MCP_HEADER    "Name: value", sent with every request that has no such header
//   MCP_REVISION  the revision that `initialize` offers; the suite's driver always offers 2025-11-25
import { subscribe } from 'node:diagnostics_channel';

const [, name, value] = /^([^:]+):\s*(.*)$/.exec(process.env.MCP_HEADER);
// fetch and undici tell of their requests here, node:http below; all of them before the headers are written.
subscribe('undici:request:create', ({ request }) => {
  const names = [request.headers].flat().filter((_, index) => index % 2 === 0);
  if (!names.some((other) => String(other).toLowerCase() === name.toLowerCase())) request.addHeader(name, value);
});
subscribe('http.client.request.created', ({ request }) => {
  if (!request.hasHeader(name)) request.setHeader(name, value);
});

const revision = process.env.MCP_REVISION;
const { fetch } = globalThis;
globalThis.fetch = (url, options) => {
  if (!revision || typeof options?.body !== 'string' || !options.body.includes('"initialize"')) return fetch(url, options);
  const message = JSON.parse(options.body);
  const headers = new Headers(options.headers);
  if (message.method === 'initialize') {
    message.params.protocolVersion = revision;
    if (headers.has('mcp-protocol-version')) headers.set('mcp-protocol-version', revision);
  }
  return fetch(url, { ...options, headers, body: JSON.stringify(message) });
};
