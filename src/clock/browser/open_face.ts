import type { ClockConfig } from '../clock_config.ts';
import type { Face } from '../face.ts';
import { liveFaceOf } from '../live_parts.ts';
import { isNamedByOffset } from '../place_of.ts';
import { turnFlaps } from './turn_flaps.ts';

/** Takes over a face that the server drew: finds its live parts, and keeps them up to date. */
export function openFace(root: Element, config: ClockConfig): Face {
  const { partsAt, beatMs } = liveFaceOf(config.styleDefinition, config.format, isNamedByOffset(config));
  const elements = new Map<string, Element>();
  for (const element of root.querySelectorAll('[data-part]'))
    elements.set(element.getAttribute('data-part')!, element);
  const shown = new Map<string, string>();
  return {
    beatMs,
    show(moment, isCoarse) {
      const parts = partsAt(moment, isCoarse);
      for (const key in parts) {
        const value = parts[key]!;
        if (shown.get(key) === value) continue;
        // What the server drew was of another moment, but mostly the same: not every part is news at first.
        const before = shown.get(key) ?? drawn(elements, key);
        shown.set(key, value);
        if (before !== value) write(elements, key, value, before);
      }
    },
  };
}

type Elements = ReadonlyMap<string, Element>;

function write(elements: Elements, key: string, value: string, before: string): void {
  const { element, attribute } = partOf(elements, key);
  if (element === undefined) return;
  if (attribute !== undefined) element.setAttribute(attribute, value);
  else if (element.classList.contains('sc-flaps')) turnFlaps(element, value, before);
  else writeText(element, value);
}

/** A text node that stays costs less than a new one. */
function writeText(element: Element, text: string): void {
  const box = element.firstElementChild ?? element;
  if (box.firstChild === null) box.textContent = text;
  else box.firstChild.nodeValue = text;
}

/** What the server drew. */
function drawn(elements: Elements, key: string): string {
  const { element, attribute } = partOf(elements, key);
  const text = attribute === undefined ? element?.textContent : '';
  return element?.getAttribute(attribute ?? 'data-text') ?? text ?? '';
}

/** `name` is the text of a part, `name@attribute` an attribute of it. */
function partOf(elements: Elements, key: string): { element: Element | undefined; attribute?: string } {
  const at = key.indexOf('@');
  if (at === -1) return { element: elements.get(key) };
  return { element: elements.get(key.slice(0, at)), attribute: key.slice(at + 1) };
}
