"""Buys whenever it may and sells at a small profit or after a minute, so that many orders are placed in a short time."""

import os
import signal
import time
from datetime import timedelta

from freqtrade.strategy import IStrategy


class EnterAtOnce(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    startup_candle_count = 30
    minimal_roi = {"0": 0.0005}
    stoploss = -0.02
    trailing_stop = True
    order_types = {
        "entry": "limit",
        "exit": "limit",
        "stoploss": "limit",
        "stoploss_on_exchange": True,
        "stoploss_on_exchange_interval": 15,
    }

    def bot_start(self, **kwargs):
        self.end = time.monotonic() + float(os.environ["CLIENT_SECONDS"])

    def bot_loop_start(self, current_time, **kwargs):
        """Interrupts freqtrade where it is not writing an order: it loses what it was writing."""
        if time.monotonic() > self.end:
            signal.raise_signal(signal.SIGINT)

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        return dataframe

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
        return "a minute old" if current_time - trade.open_date_utc > timedelta(minutes=1) else None
