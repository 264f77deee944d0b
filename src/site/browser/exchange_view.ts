import { jsonTokens } from '../json_tokens.ts';
import type { Exchange } from './api.ts';
import { clockOf } from './clock_of.ts';
import { confirmCopy, make } from './dom.ts';
import { suggestedFixes } from './suggested_fixes.ts';
import { signatureView } from './verify_signature.ts';

/** Shows a response. `send` repeats the request with one of the error's suggestions. */
export function exchangeView(exchange: Exchange, send: (request: string) => void): HTMLElement[] {
  const { status, durationMs, headers } = exchange;
  const code = make('b', status < 400 ? 'status-good' : 'status-bad', String(status));
  const line = statusLine(code, ` in ${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`);
  const names = make('dl', 'headers');
  for (const [name, value] of headers) names.append(make('dt', '', name), make('dd', '', value));
  const fold = make('details', 'fold', make('summary', '', `${headers.length} headers`), names);
  const further = [signatureView(exchange), fixesOf(exchange, send)].filter(element => element !== null);
  return [requestLine(exchange.request), line, ...further, bodyBlock(exchange), fold];
}

function fixesOf({ request, body, isJson }: Exchange, send: (request: string) => void): HTMLElement | null {
  if (!isJson) return null;
  // Each element of a list has its own error.
  const failed = [JSON.parse(body)].flat().find(element => element?.error !== undefined);
  return failed === undefined ? null : suggestedFixes(request, failed.error, send);
}

/** Shows a request and the reason why there is no response. */
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
  return make('p', 'request', code, ...(isSecureContext ? [copyButton(() => request)] : []));
}

/** The request as a shell command, with a variable for the key. */
export function curlOf(request: string): string {
  const key = document.querySelector('#key') ? '-H "Authorization: Bearer $KEY" ' : '';
  return `curl ${key}'${location.origin}${request}'`;
}

/** A button that copies a request as a shell command. */
export function copyButton(requestNow: () => string): HTMLElement {
  const button = make('button', 'quiet', 'Copy as curl');
  button.setAttribute('type', 'button');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(curlOf(requestNow()));
    confirmCopy(button);
  });
  return button;
}

function bodyBlock({ body, isJson }: Exchange): HTMLElement {
  if (!isJson) return make('div', 'preview', ...picturesOf(body), make('pre', 'json', body));
  const code = make('code', '');
  for (const { kind, text } of jsonTokens(JSON.stringify(JSON.parse(body), null, 2))) {
    code.append(kind === 'plain' ? text : make('span', `json-${kind}`, text));
  }
  return make('pre', 'json', code);
}

/** The clock or image in a body; empty if it is only text. */
function picturesOf(body: string): readonly (Node | string)[] {
  if (body.startsWith('<div')) return [clockOf(body)];
  if (!body.startsWith('<svg')) return [];
  const picture = document.createElement('img');
  picture.alt = '';
  // Loading the image by URL would send the request without the key.
  picture.src = URL.createObjectURL(new Blob([body], { type: 'image/svg+xml' }));
  picture.addEventListener('load', () => URL.revokeObjectURL(picture.src));
  return [picture];
}
