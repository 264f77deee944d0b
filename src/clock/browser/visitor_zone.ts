import { type ClockConfig, nameOfZone } from '../clock_config.ts';
import { dialSetOf, inBox, type Letters, written } from '../drawing/dial_label.ts';
import type { FigureSet } from '../figures/glyph_line.ts';
import { offsetText, visitorsOffset, visitorsZone } from './local_offset.ts';
import { writerOf } from './open_face.ts';

const HOUR_MS = 3_600_000;

/** The config of a clock in the visitor's zone, with the browser's name of that zone. */
export function inVisitorsZone(config: ClockConfig): ClockConfig {
  const { unix_ms, timezone_label: label, refresh } = config;
  const timezone = visitorsZone();
  const offset_seconds = visitorsOffset(unix_ms);
  const abbreviation = offsetText(offset_seconds);
  const offset = { offset_seconds, offset_minutes: Math.round(offset_seconds / 60), abbreviation };
  return {
    ...config,
    ...offset,
    timezone,
    // A label chosen by the page is unchanged.
    timezone_label: label === config.timezone ? nameOfZone(timezone) : label,
    // A dummy change, after which the clock requests the next one from the server.
    transition: { unix_ms: unix_ms + HOUR_MS, ...offset },
    refresh: { ...refresh, selector: { kind: 'tz', tz: timezone } },
  };
}

/** Replaces the name of the place on a server-rendered face. */
export function writePlace(host: Element, { timezone_label: place, glyphs = {} }: ClockConfig): void {
  host.querySelector('[role="timer"]')?.setAttribute('aria-label', `Time in ${place}`);
  for (const type of host.querySelectorAll('span.sc-place')) type.textContent = place;
  for (const line of host.querySelectorAll('[data-place]')) {
    const [letters, set] = line.getAttribute('data-place')!.split(' ') as [Letters, FigureSet | 'dial'];
    const isDial = set === 'dial';
    const {
      viewBox,
      lit,
      tail,
      unlit,
      type = '',
      length = 0,
    } = writerOf(glyphs[isDial ? dialSetOf(place) : set])(written(place, letters));
    line.setAttribute('viewBox', isDial ? inBox(viewBox) : viewBox);
    for (const path of line.querySelectorAll('path'))
      path.setAttribute('d', path.matches('.sc-unlit') ? unlit : lit + tail);
    const text = line.querySelector('text');
    if (text) text.textContent = type;
    text?.setAttribute('textLength', String(length));
  }
}
