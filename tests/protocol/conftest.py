"""The official JSON Schemas are a service like others: not part of the project, used where a variable names them."""

from tests.conftest import SERVICES

SERVICES["schemas"] = "MCP_SCHEMAS"
