/** Waits until the text is out, as the process ends right after; a reader that has seen enough may close the pipe. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
