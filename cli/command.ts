/** Context of every command. */
export interface CommandContext {
  /** The checkout, or the copy of an installed release. */
  readonly root: string;
  /** Folder of .env and of the default data folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process that forwards signals to this one has died. */
  readonly bootstrapGone: AbortSignal;
}
