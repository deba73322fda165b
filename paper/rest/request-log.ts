/** One request as tests may see it: names of headers and parameters, never values. */
interface LoggedRequest {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly params: readonly string[];
  readonly weight: number;
  readonly status: number;
}

export interface RequestLog {
  add(request: LoggedRequest): void;
  list(): readonly LoggedRequest[];
  clear(): void;
  /** Calls the listener for every later request, also after the log was cleared. */
  onAdd(listener: (request: LoggedRequest) => void): void;
}

const KEPT = 10_000;

export function openRequestLog(): RequestLog {
  let requests: LoggedRequest[] = [];
  const listeners: ((request: LoggedRequest) => void)[] = [];
  return {
    add: (request) => {
      requests.push(request);
      for (const listener of listeners) listener(request);
      if (requests.length > 2 * KEPT) requests = requests.slice(-KEPT);
    },
    list: () => requests.slice(-KEPT),
    clear: () => {
      requests = [];
    },
    onAdd: (listener) => {
      listeners.push(listener);
    },
  };
}
