from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal


@dataclass
class Reply:
    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    text: str | None = None


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: str


def error_reply(status: int, code: str, **headers: str) -> Reply:
    """An error as Florin sends it."""
    body = {"statusCode": status, "code": code, "message": f"It is {code}: do something.", "requestId": "req-1"}
    return Reply(status, body, {"x-request-id": "req-1"} | {name.replace("_", "-"): headers[name] for name in headers})


class ScriptedServer:
    """Responds with one behavior after the other; the last one repeats."""

    def __init__(self) -> None:
        self.script: tuple[Reply | Literal["disconnect", "truncate", "hang"], ...] = ()
        self.requests: list[Received] = []
        self.arrived = threading.Event()
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append(Received(self.command, self.path, headers, body))
                outer.arrived.set()
                outer.behave(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

    def follow(self, *script: Reply | Literal["disconnect", "truncate", "hang"]) -> None:
        self.script = script or (Reply(),)
        self.requests.clear()
        self.arrived.clear()

    def behave(self, handler: BaseHTTPRequestHandler) -> None:
        behavior = self.script[min(len(self.requests), len(self.script)) - 1]
        if isinstance(behavior, str):
            handler.close_connection = True
            if behavior == "truncate":
                handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
            if behavior == "hang":
                self.released.wait()
            return
        content = (json.dumps(behavior.body) if behavior.text is None else behavior.text).encode()
        handler.send_response(behavior.status)
        for name, value in behavior.headers.items():
            handler.send_header(name, value)
        if behavior.status != 204:
            handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        if behavior.status != 204:
            handler.wfile.write(content)
