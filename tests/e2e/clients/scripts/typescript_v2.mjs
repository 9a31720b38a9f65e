// The official TypeScript client since 2.0; its argument says whether it looks for the newest revision or begins as before.
import { require, requestInit, url, visit } from './shopping.mjs';

const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');

const client = new Client({ name: 'shopper', version: '1' }, { versionNegotiation: { mode: process.argv[2] } });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
await visit(client);
