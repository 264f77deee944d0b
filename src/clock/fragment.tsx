import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/bounded_cache.ts';
import { Moment } from '../common/moment.ts';
import { type AssetPaths, type ClockConfig, type ClockOptions, STYLED_OPTIONS } from './clock_config.ts';
import { drawFace, isLabelInRows } from './draw_face.tsx';
import { fill, slot, type Template, templateOf } from './drawing/slots.ts';
import type { GlyphTables } from './figures/glyph_line.ts';
import { liveGlyphsOf } from './live_glyphs.ts';

/**
 * A clock for embedding in a page: its face at a moment, config, stylesheet and script. `id`, of ASCII letters, digits and
 * hyphens, must be unique in the page.
 */
export function clockFragment(config: ClockConfig, moment: Moment, id: string, assets: AssetPaths): string {
  return finish(cachedTemplate(config, moment, assets), id, config);
}

/** A clock for a page that already has stylesheet and script. */
export function clock(config: ClockConfig, moment: Moment, id: string): string {
  return finish(drawClock(config, moment), id, config);
}

function finish(template: Template, id: string, { unix_ms }: ClockConfig): string {
  return fill(template, name => (name === 'id' ? id : String(unix_ms)));
}

/**
 * Cache of clocks rendered in the same second: clocks with the same style and place differ only in ids and milliseconds.
 * Rendering takes 6 µs, a lookup less than 1 µs.
 */
const templates = new BoundedCache<string, Template>(128);
/** Longer templates, which only result from clients' formats, are not cached. */
const MAX_CACHED_LENGTH = 32_768;

function cachedTemplate(config: ClockConfig, moment: Moment, assets: AssetPaths): Template {
  const key = keyOf(config, assets);
  const cached = templates.get(key);
  if (cached !== undefined) return cached;
  const { pieces } = drawClock(config, moment);
  const links = fill(ASSETS, name => Html.escapeHtml(assets[name as keyof AssetPaths]));
  const template = { pieces: [...pieces.slice(0, -1), pieces.at(-1)! + links] };
  const length = template.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= MAX_CACHED_LENGTH) templates.set(key, template);
  return template;
}

/** Everything that the markup depends on except for id and milliseconds; the format, which is free text, is last. */
function keyOf(config: ClockConfig, { script }: AssetPaths): string {
  const { style, offset_seconds, abbreviation, timezone, timezone_label, format, pinned } = config;
  const { transition: next, refresh, options } = config;
  const change = next === null ? '' : `${next.unix_ms} ${next.offset_seconds} ${next.abbreviation}`;
  return `${style} ${drawnMs(config)} ${offset_seconds} ${abbreviation} ${pinned} ${change}
${timezone} ${timezone_label}
${Object.values(refresh.selector).join(' ')}
${refresh.path} ${script}
${options === undefined ? '' : JSON.stringify(options)}
${format === null ? '' : `=${format}`}`;
}

/** A pinned clock is rendered at its instant, any other at the full second. */
function drawnMs({ pinned, unix_ms }: ClockConfig): number {
  return pinned ? unix_ms : Math.floor(unix_ms / 1000) * 1000;
}

/** The first match in a config: nothing before it comes from a client. */
const INSTANT = /"unix_ms":-?\d+/;

/** Renders a clock with slots for its id and instant. */
function drawClock(config: ClockConfig, moment: Moment): Template {
  const drawnMoment = new Moment(drawnMs(config), moment.offsetSeconds, moment.abbreviation);
  const face = drawFace(config, drawnMoment, slot('id'));
  const own = scriptJson(config).replace(INSTANT, `"unix_ms":${slot('unix_ms')}`);
  const rows = isLabelInRows(config) ? ',"in_rows":true' : '';
  const json = `${own.slice(0, -1)},"glyphs":${glyphsJson(config)}${rows}}`;
  const style = styleOf(config.options);
  const parts: Readonly<Record<string, string>> = { face, config: json, style };
  return templateOf(fill(style === '' ? CLOCK : STYLED_CLOCK, name => parts[name] ?? slot(name)));
}

/** The chosen options that the stylesheet reads, as declarations. */
export function styleOf(options: ClockOptions = {}): string {
  return STYLED_OPTIONS.filter(name => options[name] !== undefined)
    .map(name => `--service-clock-${name}:${options[name]}`)
    .join(';');
}

const CLOCK = clockTemplate({});
/** If a policy forbids the attribute, the browser script sets the same properties. */
const STYLED_CLOCK = clockTemplate({ style: slot('style') });

function clockTemplate(attributes: { readonly style?: string }): Template {
  const markup = (
    <>
      <div
        id={slot('id')}
        class="service-clock-host"
        data-service-clock=""
        data-clock-config-id={`${slot('id')}-config`}
        {...attributes}
      >
        {slot('face')}
      </div>
      <script type="application/json" id={`${slot('id')}-config`}>
        {slot('config')}
      </script>
    </>
  );
  return templateOf(String(markup));
}

const ASSETS = templateOf(
  String(
    <>
      <link rel="stylesheet" href={slot('stylesheet')} />
      <script src={slot('script')} async />
    </>,
  ),
);

/** A third of a clock's text, identical for all clocks with the same style and format. */
const glyphTexts = new WeakMap<GlyphTables, string>();

function glyphsJson(config: ClockConfig): string {
  const glyphs = liveGlyphsOf(config);
  const known = glyphTexts.get(glyphs) ?? scriptJson(glyphs);
  glyphTexts.set(glyphs, known);
  return known;
}

const ESCAPED = /[<>&\u0100-\uffff]/g;

/**
 * JSON that can neither end a `script` element nor begin a comment in it. Like all clock markup it has no character beyond
 * U+00FF, since the engine would then store the whole string with 16 bits per character and take twice as long.
 */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    ESCAPED,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
