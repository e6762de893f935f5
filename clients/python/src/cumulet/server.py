"""Starts an emulator as a process of its own, or connects to a running one."""

import atexit
import os
import re
import shutil
import signal
import subprocess
import threading
from collections import deque
from queue import Empty, Queue
from typing import Deque, Dict, List, Optional, Sequence, Union

from .cloud import Cloud, Path
from .errors import CumuletError
from .types import Time

URL_VARIABLE = "CUMULET_URL"
TOKEN_VARIABLE = "CUMULET_CONTROL_TOKEN"
AUTHORITY_VARIABLE = "OS_CACERT"

_OWN_VARIABLES = {
    "CUMULET_HOST": "127.0.0.1",
    "CUMULET_LISTEN": "",
    "CUMULET_NATIVE_PORTS": "off",
    "CUMULET_WORKERS": "1",
}
"""Variables that replace what the environment, or cumulet.yaml, says about a lasting emulator."""

_STOP_SECONDS = 10

_SUPERVISOR = """
"$@" </dev/null &
server=$!
exec >/dev/null 2>&1
cat
kill "$server"
wait "$server"
"""
"""Runs a command until the end of stdin, which also comes when this process is killed."""


def connect(
    url: Optional[str] = None,
    *,
    control_token: Optional[str] = None,
    cacert: Optional[str] = None,
) -> Cloud:
    """Connects to a running emulator, at ``CUMULET_URL`` unless an address is given.

    The control token is that of ``CUMULET_CONTROL_TOKEN`` unless one is given, and ``cacert``, the
    file with the authority of an emulator with ``--tls``, that of ``OS_CACERT``.

    :raises CumuletError: if no emulator answers there
    """
    url = url or os.environ.get(URL_VARIABLE)
    if not url:
        raise CumuletError(f"Give the URL of the emulator, or set {URL_VARIABLE} to it.")
    cloud = Cloud(
        url,
        control_token=control_token or os.environ.get(TOKEN_VARIABLE),
        cacert=cacert or os.environ.get(AUTHORITY_VARIABLE),
    )
    cloud.health()
    return cloud


def start(
    *,
    regions: Optional[Sequence[str]] = None,
    hosts: Union[int, Path, None] = None,
    seed: Optional[Path] = None,
    preset: Optional[str] = None,
    profile: Optional[str] = None,
    journal: int = 1000,
    clock: Optional[Time] = None,
    options: Sequence[str] = (),
    command: Optional[Sequence[str]] = None,
    timeout: float = 60,
) -> Cloud:
    """Starts an emulator with a new cloud in memory on a free port.

    ``regions``, ``hosts``, ``seed``, ``preset`` and ``journal`` are the options of these names
    on the command line, and ``options`` are further words of it. ``profile`` is the deprecated
    name of ``preset``. Other options, and the world, are those of the closest ``cumulet.yaml``.
    At the start and after each reset, the clock is frozen at ``clock`` if that is given. Without
    ``command``, the program is ``cumulet`` on PATH, or else ``npx --no-install cumulet``. It ends
    with this process, if not by ``Cloud.stop`` before.

    :raises CumuletError: if it is not found, or does not start within ``timeout`` seconds
    """
    words = [*(command or find_command()), "start", "--port", "0", "--database", "memory:"]
    named = {
        "--log-level": "warn",
        "--journal": str(journal),
        "--regions": ",".join(regions) if regions else None,
        "--hosts": None if hosts is None else str(hosts),
        "--seed": None if seed is None else os.fspath(seed),
        "--preset": preset,
        "--profile": profile,
    }
    for name, value in named.items():
        if value is not None:
            words += [name, value]
    token = _option_value(options, "--control-token") or os.environ.get(TOKEN_VARIABLE)
    process = _Process([*words, *options], timeout, _environment(token))
    cloud = Cloud(
        process.url,
        control_token=token,
        cacert=process.cacert,
        frozen_at=clock,
        on_stop=process.stop,
    )
    if clock is not None:
        cloud.clock.freeze(clock)
    return cloud


def find_command() -> List[str]:
    """Returns the command that starts an emulator.

    :raises CumuletError: if neither ``cumulet`` nor ``npx`` is on PATH
    """
    cumulet = shutil.which("cumulet")
    if cumulet:
        return [cumulet]
    npx = shutil.which("npx")
    if npx:
        return [npx, "--no-install", "cumulet"]
    raise CumuletError(
        "Neither cumulet nor npx is on PATH. Install Node.js and the npm package cumulet, or set "
        f"{URL_VARIABLE} to the address of a running emulator."
    )


def _option_value(words: Sequence[str], name: str) -> Optional[str]:
    for at, word in enumerate(words):
        if word == name:
            return words[at + 1] if at + 1 < len(words) else None
        if word.startswith(f"{name}="):
            return word[len(name) + 1 :]
    return None


class _Process:
    """A running emulator."""

    def __init__(self, command: Sequence[str], timeout: float, env: Dict[str, str]) -> None:
        self._output: Deque[str] = deque(maxlen=50)
        self._lines: "Queue[Optional[str]]" = Queue()
        self.url = ""
        self.cacert: Optional[str] = None
        self._is_ready = False
        self._has_supervisor = os.name == "posix"
        supervisor = ["/bin/sh", "-c", _SUPERVISOR, "sh"] if self._has_supervisor else []
        # In a session of its own, the emulator gets no Ctrl-C: it runs until the tests have ended.
        self._child = subprocess.Popen(
            [*supervisor, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=env,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        atexit.register(self.stop)
        threading.Thread(target=self._read, daemon=True).start()
        self._wait_until_ready(command, timeout)

    def stop(self) -> None:
        """Stops the emulator, and waits until it has ended."""
        atexit.unregister(self.stop)
        assert self._child.stdin is not None
        self._child.stdin.close()
        if not self._has_supervisor:
            self._child.terminate()
        try:
            self._child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            if self._has_supervisor:
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child.kill()
            self._child.wait()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._output.append(line)
            if not self._is_ready:
                self._lines.put(line)
        self._lines.put(None)

    def _wait_until_ready(self, command: Sequence[str], timeout: float) -> None:
        """Reads what the emulator prints: its URL and, with TLS, its authority."""
        while True:
            try:
                line = self._lines.get(timeout=timeout)
            except Empty:
                self.stop()
                raise self._failure(command, f"printed no URL within {timeout:g} seconds") from None
            if line is None:
                self.stop()
                raise self._failure(command, f"ended with exit code {self._child.returncode}")
            found = re.search(r"listens at (\S+)", line)
            if found:
                self.url = found.group(1)
            authority = re.match(r"  CA +(.+)\n", line)
            if authority:
                self.cacert = authority.group(1)
            if self.url.startswith("http:") or (self.url and re.match(r"  Stop ", line)):
                self._is_ready = True
                return

    def _failure(self, command: Sequence[str], problem: str) -> CumuletError:
        output = "".join(self._output).strip() or "(no output)"
        advice = (
            " Install the npm package cumulet in this project or globally, or set "
            f"{URL_VARIABLE} to the address of a running emulator."
            if "--no-install" in command
            else ""
        )
        return CumuletError(f"'{' '.join(command)}' {problem}.{advice}\n{output}")


def _environment(token: Optional[str]) -> Dict[str, str]:
    """Returns the variables of the emulator, with the control token that this process sends."""
    env = {name: value for name, value in os.environ.items() if name != URL_VARIABLE}
    return {**env, **_OWN_VARIABLES, TOKEN_VARIABLE: token or ""}
