/** The file is not a complete, unchanged backup of a version that can be restored; the message says why. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

export const ALTERED = 'The file was altered: it continues after its end.';
export const CUT = 'The file is cut off or damaged: it does not end like a backup.';

/** Throws when the client has closed the connection. */
export function requireClient(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new BackupRefused('The client closed the connection; nothing was changed.');
}
