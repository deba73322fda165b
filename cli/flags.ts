import { parseArgs } from 'node:util';

/** `text` takes a value (`--port 8081` or `--port=8081`), `switch` takes none. */
export type FlagKinds = Readonly<Record<string, 'text' | 'switch'>>;

type ParsedFlags =
  | { readonly kind: 'flags'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'problem'; readonly sentence: string };

/** Parses the flags of a command. Any unknown argument is a problem with one sentence. A switch has the value ''. */
export function parseFlags(command: string, argv: readonly string[], kinds: FlagKinds): ParsedFlags {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, { type: kind === 'text' ? 'string' : 'boolean' } as const]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') return problem(`"tradewind ${command}" takes flags only, not "${token.value}"`);
    const kind = kinds[token.name];
    if (kind === undefined) return problem(`"tradewind ${command}" has no flag ${token.rawName}`);
    if (kind === 'switch' && token.value !== undefined) return problem(`The flag ${token.rawName} takes no value`);
    // A value that looks like a flag means a missing value, except for a negative number.
    const forgotten = token.value === undefined || (!token.inlineValue && /^--?[a-z]/.test(token.value));
    if (kind === 'text' && forgotten) return problem(`The flag ${token.rawName} needs a value`);
    values.set(token.name, token.value ?? '');
  }
  return { kind: 'flags', values };
}

function problem(text: string): ParsedFlags {
  return { kind: 'problem', sentence: `${text}; see "tradewind help".` };
}
