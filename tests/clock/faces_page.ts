import { join } from 'node:path';
import type { ClockConfig } from '../../src/clock/clock_config.ts';
import { drawFace } from '../../src/clock/draw_face.tsx';
import { styleDefinition } from '../../src/clock/style_definitions.ts';
import { STYLE_NAMES, type StyleName } from '../../src/clock/style_names.ts';
import { Moment } from '../../src/common/moment.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** A moment at which hands and figures do not hide each other: ten past ten, and a Saturday in spring. */
export const SHOWN_MOMENT = new Moment(Date.UTC(2026, 3, 18, 1, 9, 36), 9 * 3600, 'JST');

/** The config of a clock in Tokyo, or elsewhere. */
export function configOf(style: StyleName, changes: Partial<ClockConfig> = {}): ClockConfig {
  return {
    version: 'v1',
    style,
    styleDefinition: styleDefinition(style),
    unix_ms: SHOWN_MOMENT.epochMs,
    offset_minutes: SHOWN_MOMENT.offsetSeconds / 60,
    abbreviation: SHOWN_MOMENT.abbreviation,
    timezone: 'Asia/Tokyo',
    timezone_label: 'Asia/Tokyo',
    format: null,
    pinned: true,
    transition: null,
    refresh: { path: '/v1/time/current', selector: { kind: 'tz', tz: 'Asia/Tokyo' } },
    ...changes,
  };
}

/** The stylesheet of all clocks, or a script for them, as a page gets it. */
export async function bundled(path: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, path)],
    minify: true,
    target: 'browser',
  });
  return outputs[0]!.text();
}

/** A face in its host, with the config that a script would read. */
export function hosted(config: ClockConfig, moment: Moment, id: string): string {
  return `<div class="service-clock-host" id="${id}">${drawFace(config, moment, id)}</div>`;
}

/** All faces, each in its host. */
export function allFaces(changes: Partial<ClockConfig> = {}, moment = SHOWN_MOMENT): string {
  return STYLE_NAMES.map((style, index) => hosted(configOf(style, changes), moment, `c${index}`)).join('\n');
}
