import { join } from 'node:path';
import type { ClockConfig } from '../../src/clock/clock_config.ts';
import { drawFace, isLabelInRows } from '../../src/clock/draw_face.tsx';
import { liveGlyphsOf } from '../../src/clock/glyph_tables.ts';
import { STYLE_NAMES, STYLES, type StyleName } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** A moment at which hands and digits do not hide each other: ten past ten, on a Saturday in spring. */
export const SHOWN_MOMENT = new Moment(Date.UTC(2026, 3, 18, 1, 9, 36), 9 * 3600, 'JST');

/** The config of a clock in Tokyo, or elsewhere. */
export function configOf(style: StyleName, changes: Partial<ClockConfig> = {}): ClockConfig {
  return {
    version: 'v1',
    style,
    styleDefinition: STYLES[style].definition,
    unix_ms: SHOWN_MOMENT.epochMs,
    offset_minutes: SHOWN_MOMENT.offsetSeconds / 60,
    offset_seconds: SHOWN_MOMENT.offsetSeconds,
    abbreviation: SHOWN_MOMENT.abbreviation,
    timezone: 'Asia/Tokyo',
    timezone_label: 'Tokyo',
    format: null,
    pinned: true,
    transition: null,
    refresh: { path: '/v1/time/current', selector: { kind: 'tz', tz: 'Asia/Tokyo' } },
    ...changes,
  };
}

/** A stylesheet or script as served to a page. */
export async function bundled(path: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [join(ROOT, path)], minify: true, target: 'browser' });
  return outputs[0]!.text();
}

/** A face in its host, with its config. */
export function hosted(config: ClockConfig, moment: Moment, id: string): string {
  const glyphs = liveGlyphsOf(config);
  const json = JSON.stringify({ ...config, glyphs, in_rows: isLabelInRows(config) }).replaceAll(
    '<',
    '\\u003c',
  );
  return `<div class="service-clock-host" id="${id}">${drawFace(config, moment, id)}</div>
<script type="application/json">${json}</script>`;
}

/** A page of all faces; everything else that it loads is at `/page.css`, `/clock.css` and `/driver.js`. */
export function facesPage(moment = SHOWN_MOMENT, changes: Partial<ClockConfig> = {}): string {
  const faces = STYLE_NAMES.map((style, index) => hosted(configOf(style, changes), moment, `c${index}`));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Clocks</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/clock.css">
<link rel="stylesheet" href="/page.css">
<main>
${faces.join('\n')}
</main>
<script src="/driver.js"></script>
</html>`;
}

/** Serves a page of all faces to a browser, under the strictest policy that a third-party page may have. */
export async function serveFaces(page: string): Promise<Bun.Server<undefined>> {
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html; charset=utf-8', page],
    '/clock.css': ['text/css', await bundled('src/clock/clock.css')],
    '/page.css': ['text/css', await Bun.file(join(import.meta.dir, 'faces_page.css')).text()],
    '/driver.js': ['text/javascript', await bundled('tests/clock/browser/driver.ts')],
  };
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const file = files[new URL(request.url).pathname];
      if (file === undefined) return new Response(null, { status: 404 });
      const [type, text] = file;
      return new Response(text, {
        headers: { 'Content-Type': type, 'Content-Security-Policy': "default-src 'self'; img-src data:" },
      });
    },
  });
}
