from tests.tools.conftest import declaring

__all__ = ["declaring"]
