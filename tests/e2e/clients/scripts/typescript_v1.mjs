// The official TypeScript SDK before 2.0.
import { require, requestInit, url, visit } from './shopping.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const client = new Client({ name: 'shopper', version: '1' });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
await visit(client);
