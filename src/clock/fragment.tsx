import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/bounded_cache.ts';
import { Moment } from '../common/moment.ts';
import type { AssetPaths, ClockConfig } from './clock_config.ts';
import { drawFace } from './draw_face.tsx';
import { fill, slot, type Template, templateOf, withoutSlots } from './drawing/slots.ts';

/**
 * A clock as a page embeds it: its face, drawn at a moment, its config, its stylesheet and its script. `id`, of ASCII
 * letters, digits and hyphens, must be unique in the page.
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
 * Cache of clocks drawn in the same second: those of one style and place differ only in their ids and milliseconds.
 * Drawing takes 6 µs, a look-up less than 1 µs.
 */
const templates = new BoundedCache<string, Template>(128);
/** Longer templates, which only formats of clients cause, are not cached. */
const MAX_CACHED_LENGTH = 16_384;

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

/** All that the markup depends on except id and milliseconds; the format, which is free text, is last. */
function keyOf(config: ClockConfig, { script }: AssetPaths): string {
  const { style, offset_seconds, abbreviation, timezone, timezone_label, format, pinned } = config;
  const { transition: next, refresh } = config;
  const change = next === null ? '' : `${next.unix_ms} ${next.offset_seconds} ${next.abbreviation}`;
  return `${style} ${drawnMs(config)} ${offset_seconds} ${abbreviation} ${pinned} ${change}
${timezone} ${timezone_label}
${Object.values(refresh.selector).join(' ')}
${refresh.path} ${script}
${format === null ? '' : `=${format}`}`;
}

/** A pinned clock is drawn at its instant, any other at the full second. */
function drawnMs({ pinned, unix_ms }: ClockConfig): number {
  return pinned ? unix_ms : Math.floor(unix_ms / 1000) * 1000;
}

/** Stands for the id in a face that is drawn for the cache. */
const ID = 'sc-id-of-this-clock';
/** The first match in a config: nothing before it comes from a client. */
const INSTANT = /"unix_ms":-?\d+/;

/** Draws a clock with slots for its id and its instant. */
function drawClock(config: ClockConfig, moment: Moment): Template {
  const drawnMoment = new Moment(drawnMs(config), moment.offsetSeconds, moment.abbreviation);
  const face = inEightBits(withoutSlots(drawFace(config, drawnMoment, ID))).replaceAll(ID, slot('id'));
  const json = scriptJson(config).replace(INSTANT, `"unix_ms":${slot('unix_ms')}`);
  return templateOf(fill(CLOCK, name => (name === 'face' ? face : name === 'config' ? json : slot(name))));
}

const CLOCK = templateOf(
  String(
    <>
      <div
        id={slot('id')}
        class="service-clock-host"
        data-service-clock=""
        data-clock-config-id={`${slot('id')}-config`}
      >
        {slot('face')}
      </div>
      <script type="application/json" id={`${slot('id')}-config`}>
        {slot('config')}
      </script>
    </>,
  ),
);

const ASSETS = templateOf(
  String(
    <>
      <link rel="stylesheet" href={slot('stylesheet')} />
      <script src={slot('script')} async />
    </>,
  ),
);

const BEYOND_EIGHT_BITS = /[\u{100}-\u{10ffff}]/gu;

/** Markup with character references in place of characters beyond U+00FF: see `scriptJson`. */
function inEightBits(markup: string): string {
  return markup.replace(BEYOND_EIGHT_BITS, found => `&#${found.codePointAt(0)};`);
}

const ESCAPED = /[<>&\u0100-\uffff]/g;

/**
 * JSON that can neither end a `script` element nor begin a comment in it. Like all markup of a clock it has no character
 * beyond U+00FF: with one, the engine would store the whole string with 16 bits per character and take twice as long.
 */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    ESCAPED,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
