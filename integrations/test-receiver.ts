import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A server that records requests and sends the given answer; with `null` it never answers. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  answer: { readonly status: number; readonly text: string; readonly headers?: Record<string, string> } | null;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      if (receiver.answer === null) return;
      const { status, text, headers } = receiver.answer;
      response.writeHead(status, headers).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: { status: 200, text: 'ok' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
