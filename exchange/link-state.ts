type LinkEvent = { readonly kind: 'connected' } | { readonly kind: 'disconnected'; readonly cause: string };

/** Tells each change between connected and disconnected once; the same loss is not told again on every retry. */
export function createLinkState(tell: (event: LinkEvent) => void): { up(): void; down(cause: string): void } {
  let state: 'new' | 'up' | 'down' = 'new';
  return {
    up() {
      if (state === 'up') return;
      state = 'up';
      tell({ kind: 'connected' });
    },
    down(cause) {
      if (state === 'down') return;
      state = 'down';
      tell({ kind: 'disconnected', cause });
    },
  };
}
