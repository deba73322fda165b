"""Lets the stock freqtrade trade for a while and writes what it did as JSON."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

REST = os.environ["REST_URL"]
WS = os.environ["WS_URL"]
URLS = {
    "public": f"{REST}/api/v3",
    "private": f"{REST}/api/v3",
    **{name: f"{REST}/sapi/v{name[5:] or 1}" for name in ("sapi", "sapiV2", "sapiV3", "sapiV4")},
    "ws": {"spot": f"{WS}/ws", "ws-api": {"spot": f"{WS}/ws-api/v3"}},
}
PRICING = {"price_side": "other", "use_order_book": True, "order_book_top": 1}
CONFIG = {
    "dry_run": False,
    "initial_state": "running",
    "max_open_trades": 3,
    "stake_currency": "USDT",
    "stake_amount": 200,
    "entry_pricing": PRICING,
    "exit_pricing": PRICING,
    "exchange": {
        "name": "binance",
        "key": os.environ["API_KEY"],
        "secret": os.environ["API_SECRET"],
        "ccxt_config": {"urls": {"api": URLS}, "options": {"fetchMarkets": {"types": ["spot"]}}},
        "pair_whitelist": ["BTC/USDT", "ETH/USDT", "LTC/USDT"],
    },
    "pairlists": [{"method": "StaticPairList"}],
    "internals": {"process_throttle_secs": 2},
}


def trade(folder: Path):
    """Runs until the strategy ends it; the exit code, 130 as for everything that is interrupted."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    program = Path(sys.executable).with_name("freqtrade")
    strategies = Path(__file__).with_name("strategies")
    command = [program, "trade", "--config", folder / "config.json", "--userdir", folder]
    command += ["--strategy", "EnterAtOnce", "--strategy-path", strategies]
    command += ["--db-url", f"sqlite:///{folder / 'trades.sqlite'}", "--logfile", folder / "freqtrade.log"]
    return subprocess.run(command, cwd=folder).returncode


def summary(folder: Path):
    with contextlib.closing(sqlite3.connect(folder / "trades.sqlite")) as database:
        count = lambda query: database.execute(f"select count(*) from {query}").fetchone()[0]
        return {
            "trades": count("trades"),
            "closed": count("trades where is_open = 0"),
            "stops": count("orders where ft_order_side = 'stoploss' and status is not null"),
            "orders": count("orders"),
        }


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = trade(folder)
        log = (folder / "freqtrade.log").read_text().splitlines()
        errors = [line for line in log if " - ERROR - " in line or "Traceback" in line]
        result = {"code": code, **summary(folder), "errors": errors}
        Path(os.environ["SUMMARY_FILE"]).write_text(json.dumps(result))


main()
