/** Runs work once the page is idle; returns a function that cancels it. Does nothing in browsers without idle callbacks. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') return () => undefined;
  const handle = requestIdleCallback(work);
  return () => cancelIdleCallback(handle);
}
