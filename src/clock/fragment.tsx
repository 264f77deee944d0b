import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/caching.ts';
import { Moment } from '../common/moment.ts';
import { type AssetPaths, type ClockConfig, type ClockOptions, STYLED_OPTIONS } from './clock_config.ts';
import { drawFace, isLabelInRows } from './draw_face.tsx';
import { fill, slot, type Template, templateOf } from './drawing/markup.tsx';
import type { GlyphTables } from './figures/glyph_line.ts';
import { liveGlyphsOf } from './glyph_tables.ts';

/** A clock for embedding in a page, with stylesheet and script. `id`, of ASCII letters, digits and hyphens, must be unique in the page. */
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

/** Cache of clocks rendered in the same second: those with the same style and place differ only in ids and milliseconds. */
const templates = new BoundedCache<string, Template>(128);
/** Longer templates, which only result from clients' formats, are not cached. */
const MAX_CACHED_LENGTH = 32_768;

function cachedTemplate(config: ClockConfig, moment: Moment, assets: AssetPaths): Template {
  // Everything that the markup depends on except for id and milliseconds.
  const key = JSON.stringify({ ...config, styleDefinition: null, unix_ms: drawnMs(config), assets });
  const cached = templates.get(key);
  if (cached !== undefined) return cached;
  const [stylesheet, script] = [assets.stylesheet, assets.script].map(path => Html.escapeHtml(path));
  const links = `<link rel="stylesheet" href="${stylesheet}"/><script src="${script}" async></script>`;
  const template = drawClock(config, moment, links);
  const length = template.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= MAX_CACHED_LENGTH) templates.set(key, template);
  return template;
}

/** A pinned clock is rendered at its instant, any other at the full second. */
function drawnMs({ pinned, unix_ms }: ClockConfig): number {
  return pinned ? unix_ms : Math.floor(unix_ms / 1000) * 1000;
}

/** Renders a clock with slots for its id and instant, followed by `links`. */
function drawClock(config: ClockConfig, moment: Moment, links = ''): Template {
  const drawnMoment = new Moment(drawnMs(config), moment.offsetSeconds, moment.abbreviation);
  const id = slot('id');
  const face = drawFace(config, drawnMoment, id);
  const { unix_ms: _, ...others } = config;
  const members = scriptJson(isLabelInRows(config) ? { ...others, in_rows: true } : others).slice(1);
  const json = `{"unix_ms":${slot('unix_ms')},"glyphs":${glyphsJson(config)},${members}`;
  const style = styleOf(config.options);
  // If a policy forbids the attribute, the browser script sets the same properties.
  const styled = style === '' ? '' : ` style="${style}"`;
  const attributes = `class="service-clock-host" data-service-clock="" data-clock-config-id="${id}-config"${styled}`;
  return templateOf(
    `<div id="${id}" ${attributes}>${face}</div><script type="application/json" id="${id}-config">${json}</script>${links}`,
  );
}

/** The chosen options that the stylesheet reads, as declarations. */
export function styleOf(options: ClockOptions = {}): string {
  return STYLED_OPTIONS.filter(name => options[name] !== undefined)
    .map(name => `--service-clock-${name}:${options[name]}`)
    .join(';');
}

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
