import { credentials } from './key.ts';

/** A request and its response. */
export interface Exchange {
  /** Path and query. */
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isJson: boolean;
}

/** Sends a request to this server. Rejects if there is no response. */
export async function exchange(request: string): Promise<Exchange> {
  const sentMs = performance.now();
  const response = await fetch(request, { headers: credentials() });
  const body = await response.text();
  return {
    request,
    status: response.status,
    durationMs: performance.now() - sentMs,
    headers: [...response.headers],
    body,
    isJson: response.headers.get('Content-Type')?.startsWith('application/json') ?? false,
  };
}
