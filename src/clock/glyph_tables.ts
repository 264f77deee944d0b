import { BoundedCache } from '../common/caching.ts';
import { ENGLISH_NAMES, type TimeNames } from '../text/languages.ts';
import { type ClockConfig, contentKeyOf } from './clock_config.ts';
import type { FigureSet, GlyphTables } from './figures/glyph_line.ts';
import { glyphsOf } from './figures/glyph_sets.ts';
import { type FacePatterns, figuresFor, patternsOf } from './live_parts.ts';
import type { StyleDefinition } from './styles/style.ts';
import { placeLookOf, STYLES } from './styles/styles.ts';

const tables = new BoundedCache<string, GlyphTables>(128);

/** The glyphs of everything that a clock can show later, which its config passes to the browser script. */
export function liveGlyphsOf(config: ClockConfig): GlyphTables {
  const { style, styleDefinition, options, refresh } = config;
  const isVisitors = refresh.selector.kind === 'visitor';
  return tables.getOrInsertComputed(`${style} ${isVisitors} ${contentKeyOf(config)}`, () => {
    const patterns = patternsOf(config);
    const glyphs = glyphTables(styleDefinition, patterns, options?.names, isVisitors ? PLACE_NAMES : '');
    // Some styles write place names in a separate set.
    const look = isVisitors ? placeLookOf(STYLES[style]) : undefined;
    if (look?.set === undefined || look.set === 'dial') return glyphs;
    return { [look.set]: glyphsOf(look.set, PLACE_NAMES), ...glyphs };
  });
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
