"""What python-binance's own tests want from their conftest, with the paper exchange as the only exchange there is."""

import asyncio
import json
import os
import sys
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from binance.async_client import AsyncClient
from binance.base_client import BaseClient
from binance.client import Client
from binance.ws.streams import BinanceSocketManager

SPOT = {"API", "API_TESTNET", "MARGIN_API", "WS_API", "WS_API_TESTNET", "STREAM", "STREAM_TESTNET"}
api_key = os.environ["API_KEY"]
api_secret = os.environ["API_SECRET"]
proxies = {}
proxy = None
testnet = False


def here(name, url):
    """The same path on the paper exchange; for markets other than spot an address where nothing listens."""
    scheme, _, path, *_ = urlsplit(url.replace("{}", ""))
    if name.removesuffix("_URL") in SPOT:
        return os.environ["WS_URL" if scheme == "wss" else "REST_URL"] + path
    return f"{scheme.removesuffix('s')}://127.0.0.1:9{path}"


for owner in (BaseClient, BinanceSocketManager):
    for name in [name for name in vars(owner) if name.endswith("_URL")]:
        setattr(owner, name, here(name, getattr(owner, name)))


@pytest.fixture
def client():
    return Client(api_key, api_secret)


@pytest_asyncio.fixture
async def clientAsync():
    client = AsyncClient(api_key, api_secret)
    yield client
    await close(client)


@pytest_asyncio.fixture
async def futuresClientAsync():
    client = AsyncClient(api_key, api_secret)
    yield client
    await close(client)


async def close(client):
    socket = client.ws_api.ws
    closing = asyncio.create_task(client.close_connection())
    await asyncio.sleep(0)
    # The client waits for a last message before it closes its socket; without one for ten seconds.
    if socket is not None:
        await socket.send(json.dumps({"id": "last", "method": "ping"}))
    await closing


def call_method_and_assert_uri_contains(client, method, expected, *args, **kwargs):
    with patch.object(client, "_request", wraps=client._request) as request:
        getattr(client, method)(*args, **kwargs)
    assert expected in request.call_args.args[1]


outcomes = {"passed": [], "failed": [], "skipped": []}


def pytest_runtest_logreport(report):
    name = report.nodeid.removeprefix("tests/")
    if report.failed:
        for tests in outcomes.values():
            if name in tests:
                tests.remove(name)
        outcomes["failed"].append(name)
    elif report.skipped or report.when == "call":
        outcomes[report.outcome].append(name)


def pytest_collectreport(report):
    if report.failed:
        outcomes["failed"].append(report.nodeid)


def pytest_unconfigure():
    Path(os.environ["SUMMARY_FILE"]).write_text(json.dumps(outcomes))
    sys.stdout.flush()
    # Threads of sockets that could not be opened would keep the process.
    os._exit(0)
