const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts when this process is asked to stop, by a signal or because nobody is left to pass one on.
 * A terminal sends Ctrl-C to npm, to its shell and to us, and each passes it on: more of them change nothing.
 */
export function listenForStop(gone: AbortSignal): AbortSignal {
  const request = new AbortController();
  const stop = () => request.abort();
  for (const signal of signals) process.on(signal, stop);
  if (gone.aborted) stop();
  gone.addEventListener('abort', stop, { once: true });
  return request.signal;
}
