from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_server import ScriptedServer

from florin import Florin


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Writes the counts as Jest does, for .ci/count-tests.mjs."""
    file = os.environ.get("FLORIN_TEST_RESULTS")
    if file:
        count = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
        results = {
            "numPassedTests": count["passed"],
            "numFailedTests": count["failed"],
            "numRuntimeErrorTestSuites": count["error"],
        }
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(json.dumps(results))


@pytest.fixture(scope="session")
def product() -> Iterator[Florin]:
    """A client of the running product."""
    with Florin(os.environ["FLORIN_API_KEY"], base_url=os.environ["FLORIN_URL"]) as florin:
        yield florin


@pytest.fixture(scope="session")
def running_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def server(running_server: ScriptedServer) -> ScriptedServer:
    running_server.follow()
    return running_server


@pytest.fixture
def florin(server: ScriptedServer) -> Iterator[Florin]:
    """A client of a server that does what the test says."""
    with Florin("fl_test_secret", base_url=server.url, retry_delay=0.001) as florin:
        yield florin
