import { jsonTokens } from '../json_tokens.ts';
import type { Exchange } from './api.ts';
import { clockOf } from './clock_of.ts';
import { confirmCopy, make } from './dom.ts';

export function exchangeView(exchange: Exchange): HTMLElement[] {
  const { status, durationMs, headers } = exchange;
  const code = make('b', status < 400 ? 'status-good' : 'status-bad', String(status));
  const line = statusLine(code, ` in ${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`);
  const names = make('dl', 'headers');
  for (const [name, value] of headers) names.append(make('dt', '', name), make('dd', '', value));
  const fold = make('details', 'fold', make('summary', '', `${headers.length} headers`), names);
  return [requestLine(exchange.request), line, bodyBlock(exchange), fold];
}

/** A request, and why there is no response. */
export function failureView(request: string, reason: string): HTMLElement[] {
  return [requestLine(request), statusLine(make('b', 'status-bad', 'No response'), ` ${reason}`)];
}

function statusLine(...content: (Node | string)[]): HTMLElement {
  const line = make('p', 'status', ...content);
  line.role = 'status';
  return line;
}

function requestLine(request: string): HTMLElement {
  const link = document.createElement('a');
  link.href = request;
  const [path, query] = request.split('?', 2);
  link.append(make('span', 'request-path', path!));
  if (query !== undefined) link.append(make('span', 'request-query', `?${query}`));
  const code = make('code', '', make('span', 'request-method', 'GET'), ' ', link);
  // The clipboard exists only in secure contexts: TLS or loopback.
  return make('p', 'request', code, ...(isSecureContext ? [copyButton(request)] : []));
}

/** Copies the request as a shell command, with a variable for the key. */
function copyButton(request: string): HTMLElement {
  const button = make('button', 'quiet', 'Copy as curl');
  button.setAttribute('type', 'button');
  button.addEventListener('click', async () => {
    const key = document.querySelector('#key') ? '-H "Authorization: Bearer $KEY" ' : '';
    await navigator.clipboard.writeText(`curl ${key}'${location.origin}${request}'`);
    confirmCopy(button);
  });
  return button;
}

function bodyBlock({ body, isJson }: Exchange): HTMLElement {
  if (!isJson) return make('div', 'preview', clockOf(body), make('pre', 'json', body));
  const code = make('code', '');
  for (const { kind, text } of jsonTokens(JSON.stringify(JSON.parse(body), null, 2))) {
    code.append(kind === 'plain' ? text : make('span', `json-${kind}`, text));
  }
  return make('pre', 'json', code);
}
