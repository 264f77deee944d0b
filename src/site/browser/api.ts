import { one } from './dom.ts';

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

const NAME = 'meridian-key';

/** Stores the key field's value until the tab is closed. */
export function storeKey(form: HTMLElement): void {
  const field = one<HTMLInputElement>(form, 'input');
  field.value = sessionStorage.getItem(NAME) ?? '';
  const store = () => {
    sessionStorage.setItem(NAME, field.value.trim());
    document.dispatchEvent(new Event('meridian:key'));
  };
  field.addEventListener('change', store);
  form.addEventListener('submit', event => {
    event.preventDefault();
    store();
  });
}

/** Whether requests can be authenticated: this server requires no key, or a key is set. */
export function hasAccess(): boolean {
  return document.querySelector('#key') === null || key() !== '';
}

/**
 * The request headers with the key, if any. If this server requires a key and none is set, moves the focus to the key field
 * and throws a message for the visitor.
 */
function credentials(): Record<string, string> {
  if (!hasAccess()) {
    document.querySelector<HTMLInputElement>('#key input')?.focus();
    throw new Error('This server requires an API key: enter it in the field at the top.');
  }
  return key() === '' ? {} : { Authorization: `Bearer ${key()}` };
}

/** The key; empty on an open server, for which storage is not read, since its first use blocks the page. */
function key(): string {
  return document.querySelector('#key') === null ? '' : (sessionStorage.getItem(NAME) ?? '');
}
