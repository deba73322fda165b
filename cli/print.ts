/** Names and messages are untrusted: a control character could forge lines or control the terminal. */
const withoutControls = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );

/** A row of a table or of a log stays one line. */
export const oneLine = (text: string): string => withoutControls(text).replaceAll('\n', '\\n');

/** Waits until the text is written, because the process then exits. The reader may close the pipe early. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${withoutControls(text)}\n`, () => resolve());
  });
}
