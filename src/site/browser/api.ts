import { credentials } from './key.ts';

/** A request and its response. */
export interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isJson: boolean;
}

/** Sends a request to this server. Rejects with a message for the visitor if there is no key or no response. */
export async function exchange(request: string): Promise<Exchange> {
  const headers = credentials();
  const sentMs = performance.now();
  try {
    const response = await fetch(request, { headers });
    const body = await response.text();
    return {
      request,
      status: response.status,
      durationMs: performance.now() - sentMs,
      headers: [...response.headers],
      body,
      isJson: response.headers.get('Content-Type')?.startsWith('application/json') ?? false,
    };
  } catch {
    throw new Error('The server is unreachable.');
  }
}
