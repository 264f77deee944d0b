import { BoundedCache } from '../common/bounded_cache.ts';
import { ENGLISH_NAMES, type TimeNames } from '../text/names.ts';
import { type ClockConfig, contentKeyOf, isNamedByOffset } from './clock_config.ts';
import type { FigureSet } from './figures/figure_set.ts';
import type { GlyphTables } from './figures/glyph_line.ts';
import { glyphsOf } from './figures/glyph_sets.ts';
import { type FacePatterns, figuresFor, patternsOf } from './live_parts.ts';
import type { Box, Style, StyleDefinition } from './styles/style.ts';
import { STYLES } from './styles/styles.ts';

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
