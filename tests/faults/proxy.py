"""A TCP proxy that is late, or loses a statement or the answer to it."""

import contextlib
import enum
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator


class Fate(enum.Enum):
    PASS = "pass"
    LOSE_ANSWER = "lose the answer"
    LOSE_REQUEST = "lose the request"


class Proxy:
    """Stands in front of a port of this machine. `fate` decides on each piece that a client sends.

    Where something is lost the connection is closed towards both ends; with its answer lost, the server has done what
    it was told. `delay` returns the seconds by which an answer is late.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.fate: Callable[[bytes], Fate] = lambda _data: Fate.PASS
        self.delay: Callable[[], float] = lambda: 0.0
        self.lost = 0
        self._open: set[socket.socket] = set()

        class Handler(socketserver.BaseRequestHandler):
            def handle(handler) -> None:
                with contextlib.suppress(OSError):
                    self._carry(handler.request)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 128

        self._listener = Listener(("127.0.0.1", 0), Handler)
        self.port: int = self._listener.server_address[1]

    @contextlib.contextmanager
    def listening(self) -> Iterator["Proxy"]:
        thread = threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield self
        finally:
            self._listener.shutdown()
            thread.join()
            self._listener.server_close()
            for connection in [*self._open]:
                _cut(connection)

    def _carry(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self.target))
        doomed = threading.Event()
        with _known(self._open, client), _known(self._open, server):
            answers = threading.Thread(target=self._answer, args=(server, client, doomed), daemon=True)
            answers.start()
            try:
                self._ask(client, server, doomed)
            finally:
                if not doomed.is_set():
                    _cut(server)
                answers.join()
                _cut(client)
                server.close()

    def _ask(self, client: socket.socket, server: socket.socket, doomed: threading.Event) -> None:
        while data := client.recv(65536):
            match self.fate(data):
                case Fate.LOSE_REQUEST:
                    self.lost += 1
                    return
                case Fate.LOSE_ANSWER:
                    self.lost += 1
                    doomed.set()
                    server.sendall(data)
                    return
            server.sendall(data)

    def _answer(self, server: socket.socket, client: socket.socket, doomed: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if doomed.is_set():
                    break
                if late := self.delay():
                    time.sleep(late)
                client.sendall(data)
        _cut(client)


@contextlib.contextmanager
def _known(open_ones: set[socket.socket], connection: socket.socket) -> Iterator[None]:
    open_ones.add(connection)
    try:
        yield
    finally:
        open_ones.discard(connection)


def _cut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
