const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts on a stop signal, or when the process that forwards signals is gone.
 * A terminal sends Ctrl-C to npm, to its shell and to us, and each forwards it. Repeated signals change nothing.
 */
export function listenForStop(gone: AbortSignal): AbortSignal {
  const request = new AbortController();
  const stop = () => request.abort();
  for (const signal of signals) process.on(signal, stop);
  if (gone.aborted) stop();
  gone.addEventListener('abort', stop, { once: true });
  return request.signal;
}
