"""vectorbt for test/bench/peers.ts: answers each line of its input with one line of JSON."""
import json
import sys
import time

import numpy as np
import pandas as pd
import vectorbt as vbt

closes = np.fromfile(sys.argv[1], dtype="<f8")
close = pd.Series(closes, index=pd.date_range("2020-01-01", periods=len(closes), freq="min"))


def crossings(fast, slow, rows):
    prices = close.iloc[:rows]
    quick = vbt.MA.run(prices, fast, ewm=True)
    late = vbt.MA.run(prices, slow, ewm=True)
    return prices, quick.ma_crossed_above(late), quick.ma_crossed_below(late)


def single(fast, slow, readable):
    """One run with its statistics; readable: also its orders and trades as a person reads them."""
    prices, entries, exits = crossings(fast, slow, len(close))
    portfolio = vbt.Portfolio.from_signals(
        prices, entries, exits, size=0.005, fees=0.001, init_cash=10_000, freq="min"
    )
    portfolio.stats()
    if readable:
        portfolio.orders.records_readable
        portfolio.trades.records_readable
    return len(portfolio.orders.records)


def sweep(fast, slow, trail, rows):
    """Some sets of a sweep, ranked by their Sharpe ratio."""
    prices, entries, exits = crossings(fast, slow, rows)
    portfolio = vbt.Portfolio.from_signals(
        prices, entries, exits, size=0.005, fees=0.001, init_cash=10_000, freq="min", sl_stop=trail, sl_trail=True
    )
    return len(portfolio.sharpe_ratio())


RUNS = {"single": single, "sweep": sweep}
print(json.dumps({"version": vbt.__version__}), flush=True)
for line in sys.stdin:
    name, *arguments = json.loads(line)
    started = time.process_time()
    found = RUNS[name](*arguments)
    print(json.dumps({"ms": (time.process_time() - started) * 1000, "found": found}), flush=True)
