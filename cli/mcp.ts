import { createInterface } from 'node:readline';
import { isObject } from '#core/merge.ts';
import { readJson } from '#core/json.ts';
import { openMcp } from '#api/mcp-client.ts';
import { parseFlags } from './flags.ts';
import type { CommandContext } from './command.ts';

/** A JSON-RPC error for a request that got no answer; nothing for a notification. */
function failureOf(line: string, message: string): string | undefined {
  const request = readJson(line);
  if (!isObject(request) || request['id'] === undefined) return undefined;
  return JSON.stringify({ jsonrpc: '2.0', id: request['id'], error: { code: -32_000, message } });
}

/** As it is: its readers are programs. */
const write = (text: string): Promise<void> =>
  new Promise((resolve) => void process.stdout.write(`${text}\n`, () => resolve()));

/**
 * An MCP server on standard input and output, for assistants that start programs: it forwards each line to a running
 * service and prints the answer. It keeps no state.
 */
export async function runMcp(argv: readonly string[], { environment }: CommandContext): Promise<number> {
  const flags = parseFlags('mcp', argv, { url: 'text' });
  if (flags.kind === 'problem') {
    console.error(flags.sentence);
    return 2;
  }
  const token = environment['TRADEWIND_TOKEN'];
  if (token === undefined) {
    console.error('Set TRADEWIND_TOKEN to an API token: "tradewind token create" prints one.');
    return 2;
  }
  const url =
    flags.values.get('url') ?? environment['TRADEWIND_URL'] ?? `http://127.0.0.1:${environment['PORT'] ?? 8080}`;
  const send = openMcp({ url: url.replace(/\/+$/, ''), token });
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    const work = send(line)
      .catch((error: unknown) => failureOf(line, error instanceof Error ? error.message : String(error)))
      .then((text) => (text === undefined ? undefined : write(text)))
      .finally(() => open.delete(work));
    open.add(work);
  }
  await Promise.all(open);
  return 0;
}
