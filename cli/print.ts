/** Names and messages are untrusted: a control character could forge lines or control the terminal. */
const withoutControls = (text: string): string =>
  text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** A row of a table or of a log stays one line. */
export const oneLine = (text: string): string => withoutControls(text).replaceAll('\n', '\\n');

/**
 * Waits until the text is written, because the process then exits. The reader may close the pipe early. Pieces of a text
 * are written one after the other.
 */
export async function print(text: string | Iterable<string>): Promise<void> {
  const pieces = typeof text === 'string' ? [text] : text;
  let isClosed = false;
  process.stdout.once('error', () => (isClosed = true));
  for (const piece of pieces) if (!isClosed) await write(withoutControls(piece));
  if (!isClosed) await write('\n');
}

const write = (text: string): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
