import { OPERATIONS } from '#api/contract/contract.ts';
import type { Operation } from '#api/contract/operation.ts';
import { readOpenApi, readReference, readReferenceStyle } from '#api/contract/reference.ts';
import type { Routes } from '#api/handle.ts';
import { openApiOf } from '#api/frame/openapi.ts';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2733;background:#fff}
h2{margin-top:2.5rem;text-transform:capitalize}summary{cursor:pointer;padding:.3rem 0}code{font:14px ui-monospace,monospace}
pre{overflow:auto;padding:.8rem;background:#f1f4f7;border-radius:.4rem;font:13px/1.4 ui-monospace,monospace}
b{display:inline-block;min-width:4.5rem;font:600 14px ui-monospace,monospace}
@media(prefers-color-scheme:dark){body{color:#dbe4ec;background:#10161c}pre{background:#1a232c}a{color:#8cc4ff}}`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function entry({ method, path, summary, auth }: Operation, described: unknown): string {
  const open = auth === 'public' ? ' <em>(without a session)</em>' : '';
  const json = escaped(JSON.stringify(described, null, 2));
  return `<details><summary><b>${method}</b> <code>${escaped(path)}</code> ${escaped(summary)}${open}</summary><pre>${json}</pre></details>`;
}

/** One page of plain HTML: no script, so that it works under the security policy of the app. */
function pageOf(operations: readonly Operation[]): string {
  const families = Map.groupBy(operations, ({ path }) => path.split('/')[1] ?? '');
  const sections = [...families].map(([name, family]) => {
    const entries = family.map((operation) =>
      entry(operation, Object.values(openApiOf([operation])['paths'] ?? {})[0]),
    );
    return `<h2 id="${escaped(name)}">${escaped(name)}</h2>${entries.join('\n')}`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tradewind API</title><link rel="stylesheet" href="docs.css"></head><body><h1>Tradewind API</h1>
<p>Every path lies under <code>/api</code>. Refusals are problem details (RFC 9457). The same as
<a href="openapi.json">OpenAPI 3.1</a>.</p>${sections.join('\n')}</body></html>`;
}

export function mountReference({ handle }: Routes): void {
  const document = openApiOf(OPERATIONS);
  const page = pageOf(OPERATIONS);
  const text = (body: string, type: string): Response =>
    new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } });
  handle(readOpenApi, async () => document);
  handle(readReference, async () => text(page, 'text/html'));
  handle(readReferenceStyle, async () => text(STYLE, 'text/css'));
}
