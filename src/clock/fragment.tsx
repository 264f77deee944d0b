import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/caching.ts';
import { Moment } from '../common/moment.ts';
import { ENGLISH_NAMES, type TimeNames } from '../text/languages.ts';
import {
  type AssetPaths,
  type ClockConfig,
  type ClockOptions,
  contentKeyOf,
  isNamedByOffset,
  STYLED_OPTIONS,
} from './clock_config.ts';
import { drawFace, isLabelInRows } from './draw_face.tsx';
import { fill, slot, type Template, templateOf, textMarkup } from './drawing/markup.tsx';
import type { FigureSet, GlyphTables } from './figures/glyph_line.ts';
import { glyphsOf } from './figures/glyph_sets.ts';
import { type FacePatterns, figuresFor, patternsOf } from './live_parts.ts';
import type { Box, Style, StyleDefinition } from './styles/style.ts';
import { STYLES } from './styles/styles.ts';

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

/** The first match in a config: nothing before it comes from a client. */
const INSTANT = /"unix_ms":-?\d+/;

/** Renders a clock with slots for its id and instant, followed by `links`. */
function drawClock(config: ClockConfig, moment: Moment, links = ''): Template {
  const drawnMoment = new Moment(drawnMs(config), moment.offsetSeconds, moment.abbreviation);
  const id = slot('id');
  const face = drawFace(config, drawnMoment, id);
  const own = scriptJson(config).replace(INSTANT, `"unix_ms":${slot('unix_ms')}`);
  const rows = isLabelInRows(config) ? ',"in_rows":true' : '';
  const json = `${own.slice(0, -1)},"glyphs":${glyphsJson(config)}${rows}}`;
  const style = styleOf(config.options);
  // If a policy forbids the attribute, the browser script sets the same properties.
  const styled = style === '' ? '' : ` style="${style}"`;
  const attributes = `class="service-clock-host" data-service-clock="" data-clock-config-id="${id}-config"${styled}`;
  return templateOf(
    `<div id="${id}" ${attributes}>${face}</div><script type="application/json" id="${id}-config">${json}</script>${links}`,
  );
}

/** The chosen options that the stylesheet reads, as declarations. */
function styleOf(options: ClockOptions = {}): string {
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

/** A document with only clocks, to be shown in a frame. */
interface EmbedPage {
  readonly title: string;
  readonly language: string;
  /** The layout: one clock of a family that fills the frame, or a board of several. */
  readonly layout: 'analog' | 'digital' | 'board';
  readonly clocks: readonly string[];
  readonly assets: AssetPaths;
  /** The URL of its oEmbed metadata. */
  readonly oembedUrl: string | null;
}

export function embedPage({ title, language, layout, clocks, assets, oembedUrl }: EmbedPage): string {
  return `<!doctype html>${(
    <html lang={Html.escapeHtml(language)} class="sc-embed" data-layout={layout}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{textMarkup(title)}</title>
        <meta name="description" content={`${textMarkup(title)}, as a clock that keeps time.`} />
        {oembedUrl !== null && (
          <link rel="alternate" type="application/json+oembed" href={Html.escapeHtml(oembedUrl)} />
        )}
        <link rel="stylesheet" href={Html.escapeHtml(assets.stylesheet)} />
        <script src={Html.escapeHtml(assets.script)} async />
      </head>
      <body>
        <main>
          <h1>{textMarkup(title)}</h1>
          {clocks.join('\n')}
        </main>
      </body>
    </html>
  )}`;
}

/** Width and height of a face of the default size, in pixels. */
export function faceSize({ styleDefinition }: Pick<ClockConfig, 'styleDefinition'>) {
  return styleDefinition.family === 'analog' ? { width: 240, height: 240 } : { width: 480, height: 192 };
}

/** A static SVG image of a clock, with its stylesheet. It contains HTML, which only browsers render. */
export function stillClock(config: ClockConfig, moment: Moment, stylesheet: string): string {
  const { width, height } = faceSize(config);
  const { size = '240px', ...others } = config.options ?? {};
  const style = `--service-clock-size:240px;${styleOf(others)}`;
  const face = drawFace(config, moment, 'clock').replaceAll(
    '<svg ',
    '<svg xmlns="http://www.w3.org/2000/svg" ',
  );
  const label = textMarkup(`The time in ${config.timezone_label}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" ${sizeAttributes(size, width, height)} viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}"><style><![CDATA[${stylesheet}]]></style><foreignObject width="${width}" height="${height}"><div xmlns="http://www.w3.org/1999/xhtml" class="service-clock-host" style="${style}">${face}</div></foreignObject></svg>`;
}

/** For a length that is relative to the image's context, the height follows from the width. */
function sizeAttributes(size: string, width: number, height: number): string {
  const scale = Number.parseFloat(size) / 240;
  const unit = size.replace(/^[\d.]+/, '');
  const length = (pixels: number) => `${Math.round(pixels * scale * 1000) / 1000}${unit}`;
  const isRelative = unit === '%' || unit === 'vw';
  return `width="${length(width)}"${isRelative ? '' : ` height="${length(height)}"`}`;
}

const tables = new BoundedCache<string, GlyphTables>(128);

/** The glyphs of everything that a clock can show later, which its config passes to the browser script. */
export function liveGlyphsOf(config: ClockConfig): GlyphTables {
  const { style, styleDefinition, format, options, refresh } = config;
  const isOffset = isNamedByOffset(config);
  const isVisitors = refresh.selector.kind === 'visitor';
  const key = `${style} ${isOffset} ${isVisitors} ${format ?? ''}\n${contentKeyOf(options)}`;
  return tables.getOrInsertComputed(key, () => {
    const patterns = patternsOf(styleDefinition, format, isOffset, options);
    const glyphs = glyphTables(styleDefinition, patterns, options?.names, isVisitors ? PLACE_NAMES : '');
    return isVisitors ? { ...glyphsOfPlaces(STYLES[style]), ...glyphs } : glyphs;
  });
}

/** The glyphs of place names, for styles that write them in a separate set. */
function glyphsOfPlaces(style: Style): GlyphTables {
  const setsIn = (boxes: readonly Box[]): FigureSet[] =>
    boxes.flatMap(box => ('box' in box ? setsIn(box.items) : 'place' in box && box.set ? box.set : []));
  const sets = 'boxes' in style ? setsIn(style.boxes) : [];
  return Object.fromEntries(sets.map(set => [set, glyphsOf(set, PLACE_NAMES)]));
}

/** Characters of numeric patterns, offsets, and AM or PM on a flap. */
const FIGURES = '0123456789:.- +\u2212APM';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Zone names have other characters only in aliases. */
const PLACE_NAMES = CAPITALS + CAPITALS.toLowerCase();

/** `lettered` are the characters of texts that the browser script writes. */
function glyphTables(
  definition: StyleDefinition,
  { time, texts }: FacePatterns,
  names: TimeNames | undefined,
  lettered: string,
): GlyphTables {
  const tables = new Map<FigureSet, string>();
  const add = (set: FigureSet, patterns: Readonly<Record<string, string>>, others = '') => {
    const written = Object.values(patterns).map(pattern => charactersOf(pattern, names));
    tables.set(set, [tables.get(set) ?? FIGURES, ...written, others].join(''));
  };
  if (definition.family === 'analog') {
    add('letters', texts, lettered);
    if (lettered !== '') tables.set('narrow', FIGURES + lettered);
  } else if (definition.figures !== undefined) {
    add(definition.letters ?? 'letters', texts, lettered);
    add(figuresFor(definition.figures, time), time);
  }
  return Object.fromEntries([...tables].map(([set, characters]) => [set, glyphsOf(set, characters)]));
}

/** The characters other than figures that a pattern can write, and some more. */
export function charactersOf(pattern: string, names = ENGLISH_NAMES): string {
  const directives = pattern.match(/%[-_0^#\d]*[EO:]*\w/g)?.join('') ?? '';
  const literal = pattern.replace(/%[-_0^#\d]*[EO:]*\w/g, '');
  const named = /[aAbBhpPcrvx+]/.test(directives) ? `${Object.values(names).flat().join('')},/` : '';
  const characters = `${literal}${named}${/[Zc+]/.test(directives) ? CAPITALS : ''}/\n\t`;
  return /[P^#]/.test(directives)
    ? characters + characters.toUpperCase() + characters.toLowerCase()
    : characters;
}
