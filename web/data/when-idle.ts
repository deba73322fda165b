/** Does something once the page has nothing else to do; returns how to take that back. Some browsers never say when. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') return () => undefined;
  const asked = requestIdleCallback(work);
  return () => cancelIdleCallback(asked);
}
