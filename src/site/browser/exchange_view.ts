import { jsonMarkup, requestMarkup } from '../exchange_markup.ts';
import { clockOf, copyText, type Exchange, exchange, make, makeButton } from './page.ts';

/** Shows a response. `send` repeats the request with one of the error's suggestions. */
export function exchangeView(exchange: Exchange, send: (request: string) => void): HTMLElement[] {
  const { status, durationMs, headers } = exchange;
  const code = make('b', status < 400 ? 'status-good' : 'status-bad', String(status));
  const line = statusLine(code, ` in ${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`);
  const names = make('dl', 'headers');
  for (const [name, value] of headers) names.append(make('dt', '', name), make('dd', '', value));
  const fold = make('details', 'fold', make('summary', '', `${headers.length} headers`), names);
  const further = [signatureView(exchange), suggestedFixes(exchange, send)].filter(view => view !== null);
  return [requestLine(exchange.request), line, ...further, bodyBlock(exchange), fold];
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
  const code = make('code', '');
  code.innerHTML = requestMarkup(request);
  return make('p', 'request', code, ...copyButtons(() => request));
}

/** The request as a shell command, with a variable for the key. */
export function curlOf(request: string): string {
  const key = document.querySelector('#key') ? '-H "Authorization: Bearer $KEY" ' : '';
  return `curl ${key}'${location.origin}${request}'`;
}

/** A button that copies a request as a shell command. Absent without a clipboard, which exists only over TLS or on loopback. */
export function copyButtons(requestNow: () => string): HTMLElement[] {
  return isSecureContext
    ? [makeButton('Copy as curl', button => copyText(curlOf(requestNow()), button))]
    : [];
}

function bodyBlock({ body, isJson }: Exchange): HTMLElement {
  if (!isJson) return make('div', 'preview', ...picturesOf(body), make('pre', 'json', body));
  const code = make('code', '');
  code.innerHTML = jsonMarkup(JSON.stringify(JSON.parse(body), null, 2));
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

interface Candidate {
  readonly name: string;
  readonly admin_area?: string;
  readonly country?: string;
}

interface ErrorContent {
  readonly message: string;
  readonly details?: { readonly parameter?: string; readonly candidates?: readonly Candidate[] };
}

const MOST_FIXES = 5;

/** Buttons that replace the misspelt part of a parameter and send the request again; null without suggestions. */
function suggestedFixes(
  { request, body, isJson }: Exchange,
  send: (request: string) => void,
): HTMLElement | null {
  // Each element of a list has its own error.
  const elements = isJson ? [JSON.parse(body)].flat() : [];
  const error: ErrorContent | undefined = elements.find(element => element?.error !== undefined)?.error;
  if (error === undefined) return null;
  const parameter = error.details?.parameter ?? '';
  const values = suggestionsIn(error);
  const [path, query] = request.split('?', 2);
  const parameters = new URLSearchParams(query);
  const typed = parameters.get(parameter);
  if (typed === null || values.length === 0) return null;
  // `Cannot read 'tz': 'Europe/Pariss' is …` quotes only the wrong element of a list.
  const [, wrong] = /: '([^']*)'/.exec(error.message) ?? [];
  const fixes = values.map(value =>
    makeButton(value, () => {
      const isPart = wrong !== undefined && typed.includes(wrong);
      parameters.set(parameter, isPart ? typed.replace(wrong, value) : value);
      send(`${path}?${parameters}`);
    }),
  );
  return make('p', 'fixes', 'Did you mean ', ...fixes);
}

function suggestionsIn({ message, details }: ErrorContent): string[] {
  const candidates = details?.candidates?.map(({ name, admin_area, country }) => {
    const area = admin_area ?? country;
    return area === undefined ? name : `${name}, ${area}`;
  });
  const [, quoted = ''] = /did you mean (.*)\?/.exec(message) ?? [];
  const named = [...quoted.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
  return (candidates ?? named).slice(0, MOST_FIXES);
}

/** Verifies a response's signature and shows the result, with a switch that tampers with the body first; null if it is unsigned. */
function signatureView(response: Exchange): HTMLElement | null {
  if (header(response, 'X-Service-Signature') === undefined) return null;
  const result = make('span', '', 'Verifying …');
  result.role = 'status';
  const tamper = document.createElement('input');
  tamper.type = 'checkbox';
  const label = make('label', 'tamper', tamper, ' Tamper with the body');
  const verify = async () => {
    const body = tamper.checked ? tampered(response.body) : response.body;
    const fault = await faultOf({ ...response, body }).catch((cause: Error) => cause.message);
    const isGood = fault === null;
    const kid = header(response, 'X-Service-Key-Id');
    result.replaceChildren(
      make('b', isGood ? 'status-good' : 'status-bad', isGood ? 'Signature valid' : 'Signature invalid'),
      isGood ? ` by key ${kid}, verified in this browser` : `: ${fault}`,
    );
  };
  tamper.addEventListener('change', () => void verify());
  void verify();
  return make('p', 'signature', result, label);
}

/** Why a response does not match its signature; null if it does. */
async function faultOf(response: Exchange): Promise<string | null> {
  if (!isSecureContext) return 'browsers can verify signatures only over HTTPS or on localhost';
  const signed = decode(header(response, 'X-Service-Signature-Input')!);
  const signature = decode(header(response, 'X-Service-Signature')!);
  const { kid, method, status, path, sha256: wanted } = JSON.parse(new TextDecoder().decode(signed));
  const keys = await exchange(`/.well-known/time-api-public-key?kid=${encodeURIComponent(kid)}`);
  const [jwk] = JSON.parse(keys.body).keys;
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  if (!(await crypto.subtle.verify('Ed25519', key, signature, signed)))
    return 'it was not made with this key';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(response.body));
  const sha256 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const { pathname, search } = new URL(response.request, location.origin);
  if (method !== 'GET' || status !== response.status || path !== pathname + search)
    return 'it belongs to another request';
  return sha256 === wanted ? null : 'the body is not the one that was signed';
}

/** A body with its first digit changed, as a forger would. */
function tampered(body: string): string {
  return body.replace(/\d/, digit => String((Number(digit) + 1) % 10));
}

function header({ headers }: Exchange, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}

/** Decodes Base64 or Base64URL. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
}
