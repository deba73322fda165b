/** The start is refused for a reason that a restart does not fix. The message says what to do. */
export class BootRefused extends Error {
  override readonly name = 'BootRefused';
}
