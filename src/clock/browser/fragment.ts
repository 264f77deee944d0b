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
