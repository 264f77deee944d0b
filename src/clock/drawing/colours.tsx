import { Html } from '@elysiajs/html';
import type { Stop } from './dial.ts';
import { slot } from './slots.ts';

/**
 * `ink=#111` becomes `var(--service-clock-ink,#111)`, `ink=#111 60% #fff` a mixture of that and another colour, `@brass` a
 * reference to the shade of that name.
 */
export function colourOf(colour: string): string {
  if (colour.startsWith('@')) return `url(#${slot('id')}-${colour.slice(1)})`;
  const [one, share, other] = colour.split(' ') as [string, string?, string?];
  if (other === undefined) return plainColour(one);
  const name = /^\w+(?==)/.exec(one)?.[0];
  const mixed = name === undefined || other.includes('=') ? plainColour(other) : tintOf(name, other);
  return `color-mix(in srgb,${plainColour(one)} ${share},${mixed})`;
}

/** A style's colour, to be mixed only slightly into a page's colour, since its contrast with the page's other colours is unknown. */
function tintOf(name: string, colour: string): string {
  return `color-mix(in srgb,var(--service-clock-${name},${colour}) 90%,${colour})`;
}

function plainColour(colour: string): string {
  const equals = colour.indexOf('=');
  if (equals === -1) return colour;
  return `var(--service-clock-${colour.slice(0, equals)},${colour.slice(equals + 1)})`;
}

/** A stop of a gradient. */
export function drawStop(stop: Stop): JSX.Element {
  const at = stop.indexOf(' ');
  return <stop offset={stop.slice(0, at)} stop-color={colourOf(stop.slice(at + 1))} />;
}
