import type { ClockConfig } from '../clock_config.ts';
import type { Face } from '../face.ts';
import { liveFaceOf } from '../live_parts.ts';

/** Takes over a face that the server drew: finds its live parts, and keeps them up to date. */
export function openFace(root: Element, config: ClockConfig): Face {
  const { partsAt, beatMs } = liveFaceOf(config.styleDefinition, config.format);
  const elements = new Map(
    [...root.querySelectorAll('[data-part]')].map(part => [part.getAttribute('data-part'), part]),
  );
  const shown = new Map<string, string>();
  const write = (key: string, value: string) => {
    const [name, attribute] = key.split('@') as [string, string?];
    const element = elements.get(name);
    if (element === undefined) return;
    if (attribute === undefined) element.textContent = value;
    else element.setAttribute(attribute, value);
  };
  return {
    beatMs,
    show(moment) {
      for (const [key, value] of Object.entries(partsAt(moment))) {
        if (shown.get(key) === value) continue;
        shown.set(key, value);
        write(key, value);
      }
    },
  };
}
