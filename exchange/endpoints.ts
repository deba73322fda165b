import type { Venue } from '#core/account/account.ts';
import { type Environment, EnvironmentError } from '#core/installation/env.ts';

/** Base URLs of one venue, without a trailing slash. */
interface Endpoints {
  /** Scheme and host; paths start with /api. */
  readonly restUrl: string;
  /** Scheme and host; the path of the market streams is /stream. */
  readonly streamUrl: string;
  /** The whole address of the WebSocket API. */
  readonly wsApiUrl: string;
}

const LIVE: Endpoints = {
  restUrl: 'https://api.binance.com',
  streamUrl: 'wss://stream.binance.com:9443',
  wsApiUrl: 'wss://ws-api.binance.com:443/ws-api/v3',
};
const TESTNET: Endpoints = {
  restUrl: 'https://testnet.binance.vision',
  streamUrl: 'wss://stream.testnet.binance.vision',
  wsApiUrl: 'wss://ws-api.testnet.binance.vision/ws-api/v3',
};
const DEMO: Endpoints = {
  restUrl: 'https://demo-api.binance.com',
  streamUrl: 'wss://demo-stream.binance.com',
  wsApiUrl: 'wss://demo-ws-api.binance.com/ws-api/v3',
};

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/**
 * Addresses of `venue`: those of the exchange, unless the environment overrides them. The paper exchange serves
 * everything on one host and port. Throws EnvironmentError when `venue` is paper and PAPER_URL is not set.
 */
export function endpointsOf(venue: Venue, env: Environment): Endpoints {
  switch (venue) {
    case 'live':
      return overridden(LIVE, env.LIVE_REST_URL, env.LIVE_STREAM_URL, env.LIVE_WS_API_URL);
    case 'testnet':
      return overridden(TESTNET, env.TESTNET_REST_URL, env.TESTNET_STREAM_URL, env.TESTNET_WS_API_URL);
    case 'demo':
      return overridden(DEMO, env.DEMO_REST_URL, env.DEMO_STREAM_URL, env.DEMO_WS_API_URL);
    case 'paper':
      return paperEndpoints(env.PAPER_URL);
  }
}

function overridden(defaults: Endpoints, ...[rest, stream, wsApi]: (string | undefined)[]): Endpoints {
  return {
    restUrl: withoutSlash(rest ?? defaults.restUrl),
    streamUrl: withoutSlash(stream ?? defaults.streamUrl),
    wsApiUrl: withoutSlash(wsApi ?? defaults.wsApiUrl),
  };
}

function paperEndpoints(url: string | undefined): Endpoints {
  if (url === undefined) {
    throw new EnvironmentError([
      'PAPER_URL is not set, but an account uses the paper exchange: set it to the address of a running paper exchange, or use npm start, which starts one.',
    ]);
  }
  const restUrl = withoutSlash(url);
  const streamUrl = restUrl.replace(/^http/, 'ws');
  return { restUrl, streamUrl, wsApiUrl: `${streamUrl}/ws-api/v3` };
}
