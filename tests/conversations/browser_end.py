"""The browser's end of a WebSocket over a plain TCP socket: it reads when it is told to, and not before.

Source: https://www.rfc-editor.org/rfc/rfc6455#section-5.2
"""

import json
import os
import socket
import struct
from typing import Any

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


class BrowserEnd:
    """One connection. ``status`` is that of the handshake: 101 when the socket is open."""

    def __init__(self, port: int, *, headers: dict[str, str], receive_buffer: int | None = None) -> None:
        self._tcp = socket.socket()
        if receive_buffer:
            self._tcp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._tcp.settimeout(20)
        self._tcp.connect(("127.0.0.1", port))
        lines = {
            "Host": f"127.0.0.1:{port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        } | headers
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._tcp.sendall(f"GET /ws/agent/ HTTP/1.1\r\n{head}\r\n".encode())
        self._file = self._tcp.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        while self._file.readline().strip():
            pass

    def __enter__(self) -> "BrowserEnd":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._tcp.close()

    def send(self, text: str, kind: int = TEXT) -> None:
        payload = text.encode()
        mask = os.urandom(4)
        key = int.from_bytes((mask * (len(payload) // 4 + 1))[: len(payload)], "big")
        masked = (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        self._tcp.sendall(head + mask + masked)

    def say(self, **frame: Any) -> None:
        self.send(json.dumps(frame))

    def receive(self) -> tuple[int, bytes]:
        """Opcode and payload of the next frame that is no ping."""
        while True:
            first, second = self._read(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack("!H", self._read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._read(8))
            payload = self._read(size)
            if first & 15 != PING:
                return first & 15, payload

    def told(self) -> dict[str, Any]:
        """The next JSON frame, notices left out."""
        while True:
            kind, payload = self.receive()
            assert kind == TEXT, payload
            frame = json.loads(payload)
            if frame["type"] != "conversation":
                return frame

    def close_code(self) -> int:
        """Read up to the closing frame."""
        while True:
            kind, payload = self.receive()
            if kind == CLOSE:
                return struct.unpack("!H", payload[:2])[0]

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise ConnectionError("closed without a closing frame")
        return data
