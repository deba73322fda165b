"""Runs the stock Binance data client of NautilusTrader for a while and writes what arrived as JSON."""

import asyncio
import json
import os
from datetime import timedelta
from functools import partial
from pathlib import Path

from nautilus_trader.adapters.binance import BINANCE, BinanceAccountType, BinanceDataClientConfig
from nautilus_trader.adapters.binance import BinanceLiveDataClientFactory
from nautilus_trader.config import InstrumentProviderConfig, LoggingConfig, TradingNodeConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import BookType
from nautilus_trader.model.identifiers import InstrumentId, TraderId
from nautilus_trader.trading.strategy import Strategy

INSTRUMENTS = [InstrumentId.from_str(f"{symbol}.{BINANCE}") for symbol in ("BTCUSDT", "ETHUSDT")]
SECONDS = float(os.environ["CLIENT_SECONDS"])
MINUTE_NS = 60_000_000_000


def minutes_of(instrument):
    return BarType.from_str(f"{instrument}-1-MINUTE-LAST-EXTERNAL")


class Counter(Strategy):
    """Subscribes to everything and counts it; a gap is an id or a minute that is left out."""

    def __init__(self, stop):
        super().__init__()
        self.stop_node = stop
        names = ("quotes", "trades", "tradeGaps", "bars", "barGaps", "deltas", "crossedBooks")
        self.counts = dict.fromkeys((*names, "history", "historyTrades"), 0)
        self.last_trade = {}
        self.last_bar = {}

    def on_start(self):
        asyncio.get_running_loop().call_later(SECONDS, self.stop_node)
        self.instruments = len(self.cache.instruments())
        since = self.clock.utc_now() - timedelta(hours=3)
        for instrument in INSTRUMENTS:
            self.request_bars(minutes_of(instrument), start=since)
        self.calls = [call for instrument in INSTRUMENTS for call in self.calls_for(instrument)]
        # Last, when there are trades: the list of the latest ones starts with the exchange.
        self.calls += [partial(self.request_trade_ticks, instrument, start=since) for instrument in INSTRUMENTS]
        self.make_next_call()

    def calls_for(self, instrument):
        yield partial(self.subscribe_bars, minutes_of(instrument))
        yield partial(self.subscribe_quote_ticks, instrument)
        yield partial(self.subscribe_trade_ticks, instrument)
        yield partial(self.subscribe_order_book_deltas, instrument, BookType.L2_MBP)

    def make_next_call(self, _event=None):
        """The client sends each subscription at once, and the exchange takes five messages a second."""
        if self.calls:
            self.calls.pop(0)()
            at = self.clock.utc_now() + timedelta(milliseconds=400)
            self.clock.set_time_alert(f"calls-{len(self.calls)}", at, self.make_next_call)

    def on_stop(self):
        pass

    def on_quote_tick(self, tick):
        self.counts["quotes"] += 1

    def on_trade_tick(self, tick):
        self.counts["trades"] += 1
        number = int(tick.trade_id.value)
        if number != self.last_trade.get(tick.instrument_id, number - 1) + 1:
            self.counts["tradeGaps"] += 1
        self.last_trade[tick.instrument_id] = number

    def on_bar(self, bar):
        self.counts["bars"] += 1
        if bar.ts_event != self.last_bar.get(bar.bar_type, bar.ts_event - MINUTE_NS) + MINUTE_NS:
            self.counts["barGaps"] += 1
        self.last_bar[bar.bar_type] = bar.ts_event

    def on_order_book_deltas(self, deltas):
        self.counts["deltas"] += len(deltas.deltas)
        book = self.cache.order_book(deltas.instrument_id)
        bid, ask = book.best_bid_price(), book.best_ask_price()
        if bid is None or ask is None or bid >= ask:
            self.counts["crossedBooks"] += 1

    def on_historical_data(self, data):
        self.counts["history" if hasattr(data, "bar_type") else "historyTrades"] += 1


def main():
    client = BinanceDataClientConfig(
        api_key=os.environ["API_KEY"],
        api_secret=os.environ["API_SECRET"],
        account_type=BinanceAccountType.SPOT,
        base_url_http=os.environ["REST_URL"],
        base_url_ws=os.environ["WS_URL"],
        instrument_provider=InstrumentProviderConfig(load_all=True),
    )
    config = TradingNodeConfig(
        trader_id=TraderId("STOCK-001"),
        logging=LoggingConfig(log_level="INFO", log_colors=False),
        data_clients={BINANCE: client},
        timeout_post_stop=1,
    )
    node = TradingNode(config)
    counter = Counter(node.stop)
    node.trader.add_strategy(counter)
    node.add_data_client_factory(BINANCE, BinanceLiveDataClientFactory)
    node.build()
    try:
        node.run()
    finally:
        node.dispose()
    Path(os.environ["SUMMARY_FILE"]).write_text(json.dumps({"instruments": counter.instruments, **counter.counts}))


main()
