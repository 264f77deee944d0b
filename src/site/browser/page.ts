import { ASSET_PATHS } from '../../clock/clock_config.ts';
import { once } from '../../common/caching.ts';

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

/** Requests text from this server. Rejects with a message for the visitor and, for error responses, the API's `code`. */
export async function getText(request: string): Promise<string> {
  const { status, body } = await exchange(request);
  if (status === 200) return body;
  const { message, code } = JSON.parse(body).error;
  throw Object.assign(new Error(message), { code });
}

export async function getJson<Value>(request: string): Promise<Value> {
  return JSON.parse(await getText(request));
}

/**
 * A query string in which characters that it may contain (RFC 3986 §3.4) are not escaped, except for the apostrophe, which would
 * end a shell string.
 */
export function readableQuery(parameters: readonly (readonly [name: string, value: string])[]): string {
  const escaped = (value: string) =>
    encodeURIComponent(value.toWellFormed())
      .replace(/%(2C|2F|3A|40|5B|5D)/g, decodeURIComponent)
      .replaceAll('%20', '+')
      .replaceAll("'", '%27');
  return parameters.map(([name, value]) => `${name}=${escaped(value)}`).join('&');
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

/** The headers with the key, if any. If a required key is not set, focuses its field and throws a message for the visitor. */
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

/** The element inside `root` that matches a selector. Throws if the page has none. */
export function one<Found extends HTMLElement = HTMLElement>(root: ParentNode, selector: string): Found {
  const found = root.querySelector<Found>(selector);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return found;
}

/** Sets the text of an element, if it differs. */
export function write(root: ParentNode, selector: string, text: string): void {
  const element = one(root, selector);
  if (element.textContent !== text) element.textContent = text;
}

export function make(name: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.append(...content);
  return element;
}

/** The field of a form with a name. */
export function fieldOf<Field extends HTMLElement = HTMLInputElement>(form: ParentNode, name: string): Field {
  return one<Field>(form, `[name=${name}]`);
}

/** Fills a field as if the visitor had typed the value. */
export function fill(field: HTMLInputElement, value: string): void {
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** An inconspicuous button. */
export function makeButton(label: string, run: (button: HTMLElement) => unknown): HTMLElement {
  const button = make('button', 'quiet', label);
  button.setAttribute('type', 'button');
  button.addEventListener('click', () => void run(button));
  return button;
}

/** Copies a text, and briefly says so on a button. Rejects without a clipboard, which exists only in secure contexts. */
export async function copyText(text: string, button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(text);
  const label = button.textContent;
  if (label === 'Copied') return;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}

/** Formats dates in full; created on first use, since the first formatter on a page takes long. */
export const longDate = once(
  () => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' }),
);

/** Calls `run` once, when one of the elements is at most half a screen away. */
export function whenNear(elements: Iterable<Element>, run: () => void): void {
  const observer = new IntersectionObserver(
    entries => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      run();
    },
    { rootMargin: '50% 0px' },
  );
  for (const element of elements) observer.observe(element);
}

const turns = new WeakMap<Element, object>();

/** Starts an update of `place`. The returned function says whether it is still the latest one: responses may arrive out of order. */
export function takeTurn(place: Element): () => boolean {
  const turn = {};
  turns.set(place, turn);
  return () => turns.get(place) === turn;
}

/** Runs an update of `place`; if it fails and is still the latest one, reports the reason and stops its remaining parts. */
export async function attempt(
  place: Element,
  report: (message: string) => void,
  update: (isLatest: () => boolean) => Promise<void>,
): Promise<void> {
  const isLatest = takeTurn(place);
  await update(isLatest).catch((error: Error) => {
    if (!isLatest()) return;
    takeTurn(place);
    report(error.message);
  });
}

/** Parses a clock fragment. The page loads its stylesheet and script once. */
export function clockOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  // The page's policy forbids the attribute; the clock script sets the same properties.
  template.innerHTML = html.replace(/ style="--service-clock-[^"]*"/, '');
  const { content } = template;
  for (const element of content.querySelectorAll('link, script[src]')) element.remove();
  loadAssets();
  return content;
}

/** Loads the clock stylesheet and script, unless the page already has them. */
export function loadAssets(): void {
  const { stylesheet: href, script: src } = ASSET_PATHS;
  if (!document.querySelector(`link[href="${href}"]`))
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
  // Browsers run scripts created by scripts, but not those parsed in a fragment.
  if (!document.querySelector(`script[src="${src}"]`))
    document.head.append(Object.assign(document.createElement('script'), { src }));
}
