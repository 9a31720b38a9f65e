// What shopping.py does, for clients in JavaScript.
import { createRequire } from 'node:module';

export const url = new URL(process.env.MCP_URL);
export const requestInit = { headers: { Authorization: `Bearer ${process.env.MCP_KEY}` } };
export const require = createRequire(`${process.env.MCP_PACKAGES}/`);

function expect(fine, what, said) {
  if (!fine) throw new Error(`${what}: ${JSON.stringify(said).slice(0, 500)}`);
}

export async function visit(client) {
  const answer = async (name, args) =>
    JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);

  const names = (await client.listTools()).tools.map((tool) => tool.name);
  expect(['api_search', 'api_describe', 'api_read', 'api_call'].every((name) => names.includes(name)), 'tools', names);
  const menu = await answer('api_read', { name: 'GetCoffeeShopMenu', args: { search: 'latte' } });
  expect(menu.status === 'success', 'menu', menu);
  const [product] = menu.response.results;
  const order = {
    name: 'CreateCoffeeShopOrder',
    args: {
      customer_name: process.env.MCP_CUSTOMER,
      items: [{ product_id: product.id, size: product.sizes[0].size, quantity: 1 }],
    },
  };
  const proposal = await answer('api_call', order);
  expect(proposal.status === 'requires_confirmation', 'proposal', proposal);
  const confirmed = { ...order, confirmationToken: proposal.confirmationToken };
  const placed = await answer('api_call', confirmed);
  expect(placed.status === 'success', 'order', placed);
  const again = await answer('api_call', confirmed);
  expect(again.code === 'confirmation_used', 'second use', again);
  await client.close();
}
