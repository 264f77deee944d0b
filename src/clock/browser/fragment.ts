import type { ClockConfig } from '../clock_config.ts';
import { LIVE_ATTRIBUTES } from '../live_parts.ts';

const namesIn = (list: string) => list.split(' ');
const HTML_ELEMENTS = namesIn('div span b i time');
const SVG_ELEMENTS = namesIn(
  'svg defs linearGradient radialGradient stop filter feDropShadow feTurbulence feColorMatrix feComposite pattern g path circle rect text use',
);
/** Attributes that may have any value. */
const FREE_ATTRIBUTES = [
  ...LIVE_ATTRIBUTES,
  ...namesIn(
    'role aria-label aria-hidden data-service-clock data-clock-config-id data-style data-form data-part data-place ' +
      'data-text x y x1 y1 x2 y2 cx cy r rx dx dy height offset stop-color stop-opacity flood-opacity fill-opacity ' +
      'stroke-opacity stroke-width stroke-linecap stroke-linejoin stroke-dasharray filterUnits patternUnits ' +
      'stdDeviation lengthAdjust gradientUnits baseFrequency numOctaves seed type values in operator result',
  ),
];

/** The markup of the host, and the JSON of the config. */
const FRAGMENT = /^(.*?)<script type="application\/json"[^>]*>([^<]*)</s;
/** A tag, in the only form written by servers, or text. */
const TOKEN = /<(\/?)(\w+)((?:\s[\w-]+(?:="[^"<]*")?)*)>|[^<]+/gy;

/**
 * Builds a clock from the markup of a server. No HTML parser is involved: elements and attributes are created one by one
 * from the lists above, so that nothing in the markup can run, and Trusted Types have nothing to forbid.
 * @throws Error for markup that contains anything else
 */
export function parseFragment(markup: string) {
  const [, face, json] = FRAGMENT.exec(markup) ?? reject();
  const root = document.createDocumentFragment();
  let parent: ParentNode = root;
  let end = 0;
  for (const [token, slash, name, attributes] of face!.matchAll(TOKEN)) {
    end += token.length;
    if (name === undefined) parent.append(decoded(token));
    else if (slash !== '') parent = parent.parentNode ?? reject();
    else {
      const element = elementOf(name, attributes!, parent);
      parent.append(element);
      parent = element;
    }
  }
  const host = root.firstElementChild;
  if (host === null || end !== face!.length) reject();
  return { host, config: JSON.parse(json!) as ClockConfig };
}

function elementOf(name: string, attributes: string, parent: ParentNode): Element {
  const isSvg = name === 'svg' || parent instanceof SVGElement;
  if (!(isSvg ? SVG_ELEMENTS : HTML_ELEMENTS).includes(name)) reject();
  const element = document.createElementNS(`http://www.w3.org/${isSvg ? '2000/svg' : '1999/xhtml'}`, name);
  for (const [, attribute, text = ''] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
    // Set by the script from the config.
    if (attribute === 'style') continue;
    const value = decoded(text);
    if (!isAllowed(attribute!, value)) reject();
    element.setAttribute(attribute!, value);
  }
  return element;
}

/** Whether an attribute is known, classes and ids belong to clocks, and references point into the fragment. */
function isAllowed(attribute: string, value: string): boolean {
  if (/^(class|id)$/.test(attribute))
    return value.split(' ').every(name => /^(sc-|service-clock)/.test(name));
  if (attribute === 'href') return /^#[\w-]+$/.test(value);
  if (/^(fill|stroke|filter)$/.test(attribute))
    return /^url\(#[\w-]+\)$|^(?!.*url)[-\w#(),% ]*$/i.test(value);
  return FREE_ATTRIBUTES.includes(attribute);
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

function decoded(text: string): string {
  return text.replace(
    /&(#?\w+);/g,
    (_, name: string) => NAMED[name] ?? String.fromCodePoint(Number(name.slice(1))),
  );
}

function reject(): never {
  throw new Error('Not a clock');
}

/** Fetches the clocks named in `data-service-clock-src`, but only from servers that this script was loaded from. */
export class FragmentLoader {
  /** The URLs of the copies of this script. */
  readonly #scripts = new Set<string>();
  readonly #configs = new WeakMap<Element, ClockConfig>();
  /** The latest attempt to fill each element, whether finished or not. */
  readonly #attempts = new WeakMap<Element, { readonly source: string }>();

  /** Allows fragments from the origin of a copy of this script. */
  allow(script: string): void {
    this.#scripts.add(script);
  }

  /** The config of a fetched host. */
  configOf(host: Element): ClockConfig | undefined {
    return this.#configs.get(host);
  }

  /** Fills elements, and refills them if they name another clock. If a clock cannot be fetched, the element's content is unchanged. */
  load(places: Iterable<Element>): void {
    for (const place of places) {
      const { href } = new URL(place.getAttribute('data-service-clock-src')!, document.baseURI);
      if (this.#attempts.get(place)?.source === href || this.#scriptFor(href) === undefined) continue;
      this.#fill(place, href).catch((error: Error) => console.warn(`${href}: ${error.message}`));
    }
  }

  async #fill(place: Element, source: string): Promise<void> {
    const attempt = { source };
    this.#attempts.set(place, attempt);
    const response = await fetch(source, { credentials: 'omit', cache: 'no-store' });
    // A server may have redirected to another.
    const script = this.#scriptFor(response.url);
    if (script === undefined) throw new Error('redirects to another server');
    if (!response.ok) throw new Error((await messageOf(response)) ?? `status ${response.status}`);
    const { host, config } = parseFragment(await response.text());
    const path = new URL(response.url).origin + new URL(config.refresh.path, response.url).pathname;
    this.#configs.set(host, { ...config, refresh: { ...config.refresh, path } });
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = new URL('clock.css', script).href;
    place.append(link);
    // An unstyled clock can be as large as the page.
    const isStyled = await isLoaded(link);
    if (isStyled && this.#attempts.get(place) === attempt) {
      for (const node of [...place.childNodes]) if (node !== link) node.remove(); // the link would load again if it were moved
      link.before(host);
    } else link.remove();
    if (!isStyled) throw new Error('its stylesheet cannot be loaded');
  }

  /** The copy of this script from the origin of a URL. A blob URL does not begin with its origin. */
  #scriptFor(url: string): string | undefined {
    return [...this.#scripts].find(script => url.startsWith(`${new URL(script).origin}/`));
  }
}

function isLoaded(link: HTMLLinkElement): Promise<boolean> {
  return new Promise(resolve => {
    link.onload = () => resolve(true);
    link.onerror = () => resolve(false);
  });
}

/** The message of an error response. */
async function messageOf(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  return body?.error?.message;
}
