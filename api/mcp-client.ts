import { isObject } from '#core/merge.ts';
import { readJson } from '#core/json.ts';

/** Field of `params` that the header Mcp-Name repeats, by method. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** The headers that a message implies: revision 2026-07-28 repeats version, method and name there. */
function headersOf(message: unknown): Record<string, string> {
  if (!isObject(message) || typeof message['method'] !== 'string') return {};
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const version = meta[VERSION];
  if (typeof version !== 'string') return {};
  const name = params[NAMED[message['method']] ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': message['method'],
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  };
}

/** Text beyond visible ASCII travels in base64. */
const encoded = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The JSON text of a response: of its body, or of the last event of a stream. */
function messageIn(type: string, text: string): string | undefined {
  if (!type.startsWith('text/event-stream')) return text.trim() === '' ? undefined : text.trim();
  const data = text.split('\n').filter((line) => line.startsWith('data:'));
  return data.at(-1)?.slice('data:'.length).trim();
}

/** Sends one JSON-RPC message to the MCP server of a running service; returns its answer, undefined for none. */
export function openMcp({ url, token }: { readonly url: string; readonly token: string }) {
  return async (line: string): Promise<string | undefined> => {
    const response = await fetch(`${url}/api/mcp`, {
      method: 'POST',
      body: line,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersOf(readJson(line)),
      },
    });
    const type = response.headers.get('content-type') ?? '';
    const text = await response.text();
    if (type.startsWith('application/problem+json')) {
      const problem = readJson(text);
      throw new Error(isObject(problem) ? String(problem['detail']) : text);
    }
    return messageIn(type, text);
  };
}
