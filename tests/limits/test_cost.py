"""A request of the greatest size costs less than a second of processor time, whatever is in it."""

import json
import time

import pytest

from django_mcp.choices import Safety

pytestmark = pytest.mark.django_db

BYTES = 1024 * 1024 - 500


def filled(unit, between=","):
    return between.join([unit] * (BYTES // (len(unit) + len(between))))


BODIES = {
    "exponents": f"[{filled('1e308')}]",
    "fractions": f"[{filled('1.5')}]",
    "integers": f"[{filled('7')}]",
    "digits": f"[{filled('9' * 4000)}]",
    "lists": f"[{filled('[]')}]",
    "texts": f"[{filled(json.dumps('a'))}]",
    "one text": json.dumps("1" * BYTES + "x")[: BYTES - 2] + '"',
    "data": json.dumps("data:" + "," * (BYTES - 10)),
    "tokens": json.dumps(filled("mcp_cf_a", " ")),
    "keys": "{" + ",".join(f'"k{n:06}":1' for n in range(BYTES // 12)) + "}",
    "nesting": "[" * (BYTES // 2) + "]" * (BYTES // 2),
}
CALLS = {
    "argument": '{{"name":"api_read","arguments":{{"name":"ListCoffeeShopOrders","args":{{"offset":{}}}}}}}',
    "arguments": '{{"name":"api_read","arguments":{{"name":"ListCoffeeShopOrders","args":{}}}}}',
    "preview": '{{"name":"api_call","arguments":{{"name":"PreviewCoffeeShopOrder","args":{{"items":{}}}}}}}',
    "name": '{{"name":"api_read","arguments":{{"name":{},"args":{{}}}}}}',
    "query": '{{"name":"api_search","arguments":{{"query":{}}}}}',
    "names": '{{"name":"api_describe","arguments":{{"names":{}}}}}',
    "token": '{{"name":"api_call","arguments":{{"name":"PreviewCoffeeShopOrder","args":{{}},"confirmationToken":{}}}}}',
    "tool": '{{"name":{},"arguments":{{}}}}',
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("body", BODIES)
def test_a_request_of_the_greatest_size_costs_less_than_a_second(make_mcp, body, call):
    mcp = make_mcp(highest_safety=Safety.READ_ONLY)
    mcp.call("GetCoffeeShopMenu", {})
    text = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{CALLS[call].format(BODIES[body])}}}'
    times = []
    for _round in range(3):
        start = time.process_time()
        response = mcp.post(text.encode())
        times.append(time.process_time() - start)
        if times[-1] < 1:
            break
    assert response.status_code < 500
    assert min(times) < 1, times
