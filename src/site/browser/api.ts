import { credentials } from './key.ts';

/** A request that was made, and what came of it. */
export interface Exchange {
  /** Path and query. */
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isJson: boolean;
}

/** Asks this server. Rejects where no answer comes. */
export async function ask(request: string): Promise<Exchange> {
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
