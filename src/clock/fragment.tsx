import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/bounded_cache.ts';
import { Moment } from '../common/moment.ts';
import type { AssetPaths, ClockConfig, ClockSelector } from './clock_config.ts';
import { drawFace } from './draw_face.tsx';
import { fill, slot, type Template, templateOf, withoutSlots } from './drawing/slots.ts';

/**
 * A clock as a page embeds it: its face, drawn at the second of a moment, its config, its stylesheet and its script. `id` is
 * one that no other element of the page has: ASCII letters, digits and hyphens.
 */
export function clockFragment(config: ClockConfig, moment: Moment, id: string, assets: AssetPaths): string {
  return finish(drawnLately(config, moment, assets), id, config);
}

/** A clock in a page that has stylesheet and script already. */
export function clock(config: ClockConfig, moment: Moment, id: string): string {
  return finish(drawClock(config, moment), id, config);
}

function finish(template: Template, id: string, { unix_ms }: ClockConfig): string {
  return fill(template, name => (name === 'id' ? id : String(unix_ms)));
}

/**
 * What was drawn in this second: clocks of one style and place differ in their ids and milliseconds alone. To draw one
 * takes six microseconds, to look one up less than one.
 */
const drawn = new BoundedCache<string, Template>(128);
/** More than this is not kept: no style of its own writes as much. */
const LONGEST_KEPT = 16_384;

function drawnLately(config: ClockConfig, moment: Moment, assets: AssetPaths): Template {
  const key = keyOf(config, assets);
  const known = drawn.get(key);
  if (known !== undefined) return known;
  const { pieces } = drawClock(config, moment);
  const links = fill(ASSETS, name => Html.escapeHtml(assets[name as keyof AssetPaths]));
  const made = { pieces: [...pieces.slice(0, -1), pieces.at(-1)! + links] };
  const length = made.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= LONGEST_KEPT) drawn.set(key, made);
  return made;
}

/** All that a clock's markup depends on but for its id and its milliseconds; what a caller writes freely is at the end. */
function keyOf(config: ClockConfig, { script }: AssetPaths): string {
  const { style, offset_seconds, abbreviation, timezone, timezone_label, format, pinned } = config;
  const { transition: next, refresh } = config;
  const change = next === null ? '' : `${next.unix_ms} ${next.offset_seconds} ${next.abbreviation}`;
  return `${style} ${drawnMs(config)} ${offset_seconds} ${abbreviation} ${pinned} ${change}
${timezone} ${timezone_label}
${selectorText(refresh.selector)}
${refresh.path} ${script}
${format === null ? '' : `=${format}`}`;
}

function selectorText(selector: ClockSelector): string {
  switch (selector.kind) {
    case 'tz':
      return `tz ${selector.tz}`;
    case 'ip':
      return `ip ${selector.ip}`;
    case 'offset':
      return `offset ${selector.offset}`;
    case 'coordinates':
      return `coordinates ${selector.lat} ${selector.lon}`;
    case 'none':
      return 'none';
  }
}

/** A clock that starts from an instant is drawn at it, another at the second, which the script goes on from. */
function drawnMs({ pinned, unix_ms }: ClockConfig): number {
  return pinned ? unix_ms : Math.floor(unix_ms / 1000) * 1000;
}

/** What a face is drawn with in place of its id. */
const ID = 'sc-id-of-this-clock';
/** The first in a config: what stands before it, no caller writes. */
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

/** Markup with references in place of characters that want more than eight bits: see `scriptJson`. */
function inEightBits(markup: string): string {
  return markup.replace(BEYOND_EIGHT_BITS, found => `&#${found.codePointAt(0)};`);
}

const ESCAPED = /[<>&\u0100-\uffff]/g;

/**
 * JSON that stands in a `script` element: it can neither end it nor begin a comment in it. It is of eight bits a character,
 * as is all markup of a clock: with one character beyond them, all of it would be twice as large and take twice as long.
 */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    ESCAPED,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
