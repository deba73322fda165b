/** What every command gets from main. */
export interface CommandContext {
  /** The checkout. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process that passes signals on to this one has died. */
  readonly bootstrapGone: AbortSignal;
}
