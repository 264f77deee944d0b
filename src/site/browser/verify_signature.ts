import { type Exchange, exchange } from './api.ts';
import { make } from './dom.ts';

/** The compared members of the signed envelope. */
interface Envelope {
  readonly kid: string;
  readonly method: string;
  readonly status: number;
  readonly path: string;
  readonly sha256: string;
}

/** Verifies a response's signature and shows the result, with a switch that tampers with the body first; null if it is unsigned. */
export function signatureView(response: Exchange): HTMLElement | null {
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
  if (!isSecureContext) return 'browsers verify over HTTPS or on this machine alone';
  const signed = decode(header(response, 'X-Service-Signature-Input')!);
  const signature = decode(header(response, 'X-Service-Signature')!);
  const envelope: Envelope = JSON.parse(new TextDecoder().decode(signed));
  const keys = await exchange(`/.well-known/time-api-public-key?kid=${encodeURIComponent(envelope.kid)}`);
  const [jwk] = JSON.parse(keys.body).keys;
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  if (!(await crypto.subtle.verify('Ed25519', key, signature, signed))) return 'the key did not make it';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(response.body));
  const sha256 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const { method, status, path } = envelope;
  const { pathname, search } = new URL(response.request, location.origin);
  if (method !== 'GET' || status !== response.status || path !== pathname + search)
    return 'it is that of another request';
  return sha256 === envelope.sha256 ? null : 'the body is not the one that was signed';
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
