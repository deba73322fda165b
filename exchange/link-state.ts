type LinkEvent = { readonly kind: 'connected' } | { readonly kind: 'disconnected'; readonly cause: string };

/** Publishes each change between connected and disconnected once; a retry does not repeat the same loss. */
export function createLinkState(publish: (event: LinkEvent) => void): { up(): void; down(cause: string): void } {
  let state: 'new' | 'up' | 'down' = 'new';
  return {
    up() {
      if (state === 'up') return;
      state = 'up';
      publish({ kind: 'connected' });
    },
    down(cause) {
      if (state === 'down') return;
      state = 'down';
      publish({ kind: 'disconnected', cause });
    },
  };
}
