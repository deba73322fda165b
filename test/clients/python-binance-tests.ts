/**
 * The tests of python-binance 1.0.37 that need an exchange for spot, in groups that run at the same time. Its other files
 * are about futures, margin, options, portfolio margin and gift cards, or replace the exchange themselves.
 */
export const SPOT_FILES: readonly (readonly string[])[] = [
  ['threaded_socket_manager'],
  ['streams', 'ws_api'],
  [
    ...['client', 'async_client', 'client_ws_api', 'async_client_ws_api', 'user_socket_integration'],
    ...['ping', 'get_order_book'],
  ],
];

/** Tests that fail, with what they need that an exchange for spot has not got. */
export const NOT_SPOT: Readonly<Record<string, readonly string[]>> = {
  'USD-M futures': [
    'test_async_client.py::test_futures_mark_price_klines',
    'test_async_client.py::test_futures_index_price_klines',
    'test_async_client.py::test_futures_premium_index_klines',
    'test_get_order_book.py::test_futures_get_order_book',
    'test_get_order_book.py::test_futures_get_order_book_async',
    'test_ping.py::test_futures_ping',
    'test_ping.py::test_futures_ping_async',
    'test_streams.py::test_socket_stopped_on_aexit_futures',
    'test_threaded_socket_manager.py::test_many_symbols_adequate_queue',
    'test_threaded_socket_manager.py::test_slow_async_callback_no_error',
    'test_ws_api.py::test_ws_futures_public_endpoint',
    'test_ws_api.py::test_ws_futures_private_endpoint',
  ],
  'COIN-M futures': ['test_ping.py::test_coin_ping', 'test_ping.py::test_coin_ping_async'],
  'portfolio margin': ['test_ping.py::test_papi_ping_sync', 'test_ping.py::test_papi_ping_async'],
};

/** Tests that their authors skip, with their reason. */
export const SKIPPED_BY_AUTHORS: Readonly<Record<string, readonly string[]>> = {
  'Endpoint not documented': ['test_client.py::test_get_products', 'test_async_client.py::test_get_products'],
  'Testnet returns 410 Gone': [
    'test_client.py::test_stream_get_listen_key_and_close',
    'test_async_client.py::test_stream_get_listen_key_and_close',
  ],
  'Endpoint not working on testnet': [
    'test_client.py::test_get_account_status',
    'test_client.py::test_get_account_api_trading_status',
    'test_client.py::test_get_account_api_permissions',
    'test_client.py::test_get_dust_assets',
  ],
  'network error': ['test_async_client.py::test_futures_coin_premium_index_klines'],
  "can't test margin endpoints": [
    'test_async_client.py::test_margin_next_hourly_interest_rate',
    'test_async_client.py::test_margin_interest_history',
    'test_async_client.py::test_margin_borrow_repay',
    'test_async_client.py::test_margin_get_borrow_repay_records',
    'test_async_client.py::test_margin_interest_rate_history',
    'test_async_client.py::test_margin_max_borrowable',
  ],
};
