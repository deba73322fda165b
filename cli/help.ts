const text = `tradewind start     starts the service and prints its address
  --data-dir DIR    where data is kept (default: .tradewind in the checkout)
  --port N          port of the web app and API (default: PORT, else 8080; 0 takes a free one)
  --replay DIR      the paper exchange replays the candle files of DIR instead of a synthetic market
  --relay live      the paper exchange follows the live prices of the exchange, with paper money; an address of another
                    exchange instead of live follows that one. Without a connection the synthetic market runs
  --from DATE       first moment of the replay, such as 2022-06-01 or 2022-06-01T12:00:00Z
  --speed N         how many times faster than real time the market moves (default: 1)
  --seed N          seed of the synthetic market (default: 1)
  --no-open         does not open the browser

tradewind backtest  runs a strategy on recorded candles and prints its metrics and every fill
  --candles PATH    candle file such as BTCUSDT-1h.csv.gz, or a folder of them, or of stored candles
  --strategy NAME   such as trailing-trade, or a strategy file such as ./my-rsi.ts
  --config FILE     settings of the strategy as JSON (default: its defaults)
  --detail PATH     finer candles that decide and fill; default: the candles themselves
  --symbol NAME     which coin of a folder with several; NAME,NAME for several with one balance; for rebalance all
  --signals FILE    for the strategy signal: a CSV file with the columns time,symbol,action,id
  --limits FILE     limits of the profile as JSON, such as {"openPositions": 1}
  --purse separate  each coin has the whole balance, without limits (default: shared, as live)
  --account FILE    all profiles of an account with one balance; replaces strategy, config and symbol
  --from, --to DATE the traded period; candles before it warm up
  --fee-bps N       fee of a fill in hundredths of a percent (default: 10)
  --maker-fee-bps N fee of an order that waited in the order book (default: same as --fee-bps)
  --fee-in NAME     received: from the received asset; other: from a third asset, at its value (default: received)
  --slippage-bps N  how much worse than the open a market order fills (default: 2)
  --spread-bps N    between best bid and ask; a market order pays half of it (default: 2)
  --volume-percent N  share of a candle's volume that orders may take; the rest waits;
                      0: any amount (default: 5)
  --balance N       starting balance in the quote asset (default: 1000)
  --explain         also: the reason and the numbers of each fill
  --robustness      also: shuffled trades, small changes of settings and candles, look-ahead check
  --json            prints everything as JSON

tradewind sweep     runs many settings on recorded candles; takes the flags of backtest, and
  --knobs TEXT      which settings, such as "ema.fast=5..50:5; ema.slow=60,100,200"
  --search NAME     grid, random or halving (default: grid); --count N settings drawn by --seed N
  --rank NAME       return, sharpe, sortino, calmar or net (default: sharpe); --top N rows (default: 20)
  --walk-forward A:B  trains on A days, tests on the next B days, repeatedly
  --trials-before N settings tried before on the same coin and strategy; they count as trials
  --threads N       default: all cores

tradewind strategy  your own strategies: files in DIR/strategies, see docs/your-strategy.md
  new NAME            writes a file to begin with; --from EXAMPLE, --data-dir DIR
  check NAME          checks a file, or a path that ends in .ts, and writes its certificate; --json
  diff OLD.ts NEW.ts  changed lines and results of both over the last 90 days of --candles; flags of backtest
  list                the files with their versions and whether they are checked; --json

tradewind candles   keeps candles for backtests in DIR/candles: import, fetch, export or list
  import --file PATH  candle files, zip files of the exchange's public archive, or a folder of them
  fetch --symbol NAME --interval 1m --from DATE [--to DATE]  fetches missing candles from the exchange
  export --symbol NAME --interval 1m --file FILE.csv.gz
  list [--json]       what is stored, with gaps; --market live|testnet|demo|paper, --data-dir DIR

tradewind paper     starts the paper exchange alone: --accounts FILE (default: one account with PAPER_API_KEY and
                    PAPER_API_SECRET), --host ADDRESS (default: 127.0.0.1), and the source of its prices,
  --source SOURCE   synthetic, replay:DIR, relay:live, relay:testnet or script; see docs/operator/paper-exchange.md
tradewind api, tradewind worker  runs one of them in this process, with DATABASE_URL; see docs/operator/deploy.md
  --only PART         of a worker: research (backtests and sweeps, no account) or trading (everything else)
tradewind migrate   migrates the database of DATABASE_URL to this version
tradewind backup    writes the database of DATABASE_URL to one file: --to FILE
tradewind restore   replaces all data by a backup, after checking it: --from FILE
tradewind status    builds and boot times of a running service; with --json and --url (TRADEWIND_URL), as for:
  profiles            the profiles with their coins
  halt, resume        the kill switch: global, --account NAME or --profile NAME; halt takes --reason TEXT,
                      --freeze (exits too) and --cancel-entries
  logs --profile NAME the newest rows: --level warn,error, --symbol NAME, --text WORDS, --limit N;
                      --follow prints new rows
  why --profile NAME --symbol COIN  why it did or did not buy: --from and --to DATE (default: the last 24 hours)
  signals --profile NAME  the recorded signals with their orders; --csv as a file for backtest --signals
  They use the API token in TRADEWIND_TOKEN. Without one they sign in with TRADEWIND_EMAIL and TRADEWIND_PASSWORD, or
  prompt for them, and keep the session in ~/.tradewind
tradewind inlet     inlets of a profile with the strategy signal, for signals of other programs; these always sign in:
  create --profile NAME --name NAME  prints address and secret; --max-age SECONDS (default: 60)
  list --profile NAME, replace (another secret) and delete --profile NAME --name NAME
tradewind token     API tokens for programs; these always sign in:
  create --name NAME  prints a new token: --scope read,research,trade,manage (default: read), --account NAME, --days N
                      --asset USDT --per-order 50 --per-day 200: what its approved proposals may spend
  list                all tokens with their scopes, expiry and last use
  revoke --name NAME  ends a token, by its name or id
tradewind proposal  orders that tokens propose:
  list                with the judgement of the worker, newest first
  approve --id ID     shows the order; with --hash HASH it is placed once; signs in
  deny --id ID        signs in; cancel --id ID withdraws one
tradewind mcp       an MCP server on standard input and output for assistants; needs TRADEWIND_TOKEN, takes --url
tradewind version   prints the version
tradewind help      prints this

With npm: npm start -- --port 8081. Settings of the environment are listed in .env.example.`;

export function runHelp(): number {
  console.log(text);
  return 0;
}
