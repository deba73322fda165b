const pollMs = 300;

/** Aborts when the bootstrap process with that id is no longer our parent. Never aborts without a bootstrap process. */
export function watchBootstrap(pid: string | undefined): AbortSignal {
  const gone = new AbortController();
  if (pid === undefined || Number(pid) !== process.ppid) return gone.signal;
  const timer = setInterval(() => {
    if (process.ppid === Number(pid)) return;
    clearInterval(timer);
    gone.abort();
  }, pollMs);
  timer.unref();
  return gone.signal;
}
