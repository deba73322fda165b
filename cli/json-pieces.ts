/** Entries of a list in one piece. */
export const ENTRIES = 1000;

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

/** The text of `JSON.stringify(value, null, 2)` in pieces, so that no text holds all of a long list. */
export function* jsonPieces(value: object): Generator<string> {
  let before = '{';
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue;
    yield `${before}\n  ${JSON.stringify(name)}: `;
    yield* Array.isArray(part) && part.length > ENTRIES ? listPieces(part) : [indented(JSON.stringify(part, null, 2))];
    before = ',';
  }
  yield before === ',' ? '\n}' : '{}';
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  for (let from = 0; from < list.length; from += ENTRIES) {
    const text = JSON.stringify(list.slice(from, from + ENTRIES), null, 2);
    yield `${from === 0 ? '[' : ','}${indented(text.slice('['.length, -'\n]'.length))}`;
  }
  yield '\n  ]';
}
