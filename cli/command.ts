/** Context of every command. */
export interface CommandContext {
  /** The checkout. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process that forwards signals to this one has died. */
  readonly bootstrapGone: AbortSignal;
}
