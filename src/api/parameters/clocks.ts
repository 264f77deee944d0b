import type { ClockOptions, ClockSelector } from '../../clock/clock_config.ts';
import {
  completePalette,
  contrastOf,
  MIN_CONTRAST,
  MIN_INK_CONTRAST,
  type Palette,
} from '../../clock/palette.ts';
import { STYLE_NAMES, type StyleName } from '../../clock/styles/styles.ts';
import { didYouMean, quoted, requireLength, ServiceError, unreadable } from '../../common/errors.ts';
import { nearest } from '../../common/words.ts';
import type { Query } from '../../http/query.ts';
import { dataSets } from '../../operations/served_data.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { strftimeOf } from '../../text/strftime.ts';
import { choice, flagSchema, group, type InputFactory, optional, parsedValue, text } from '../inputs.ts';
import { parseEnd, type RangeEnd } from './ranges.ts';
import { FormatText, LanguageText, namesOf, READS_OF_LANGUAGE } from './rendering.ts';
import { type Selection, type Selector, SelectorSet } from './selectors.ts';

/** A target, and the selector that a clock stores for it. */
export interface ClockTarget {
  readonly target: Target;
  readonly selector: ClockSelector;
}

/** The target of a clock by one of `selectors`, except those that clocks reject, and how the clock stores it. */
export function clockTarget(selectors: readonly Selector[]): InputFactory<ClockTarget> {
  const set = new SelectorSet(selectors.filter(({ clock }) => clock !== null));
  return group({
    ...set.input,
    decode(query, context, selection: Selection | null) {
      const target = set.decode(query, selection, context);
      if (selection === null || target === null) return { target: NO_TARGET, selector: { kind: 'none' } };
      return { target, selector: selection.selector.clock!(query, target) }; // all selectors of the set have it
    },
  });
}

/** The instant that a clock counts down to, in its place's local time if it has no offset; null without one. */
export const countdown: InputFactory<RangeEnd | null> = optional(
  text(
    'Count down to this instant, in days, hours, minutes and seconds: an ISO 8601 timestamp, which without an offset is local ' +
      'time in the place of the clock. Digital styles only.',
    '2027-01-01T00:00:00',
  ),
  (value, name, { snapshot }) => parseEnd(value, name, snapshot),
  dataSets('zones'),
);

const MAX_LABEL_LENGTH = 64;
const LabelText = text('Label of the clock, instead of the name of its place.', 'Head office', {
  maxLength: MAX_LABEL_LENGTH,
});

/** The label of a clock; null for the name of its place. */
export const label: InputFactory<string | null> = optional(LabelText, (label, name) => {
  if (/\p{Cc}/u.test(label)) throw unreadable(name, `${quoted(label)} has a control character`);
  requireLength(label, MAX_LABEL_LENGTH, name);
  return label;
});

const SIZE = '^[0-9]{1,4}(\\.[0-9]{1,3})?(px|rem|em|vw|%)$';
const COLOUR = '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$';
const colour = (description: string, example: string) => text(description, example, { pattern: COLOUR });

/** The options for the appearance of a clock; undefined if there are none. */
export const options: InputFactory<ClockOptions | undefined> = group({
  parameters: {
    hour12: flagSchema('Use the 12-hour clock, with AM and PM on clocks with figures.'),
    date: flagSchema('Show the date; styles without room for it show it instead of the offset.'),
    lang: LanguageText,
    size: text(
      'Width of a dial, or half the width of a digital clock: a CSS length in px, rem, em, vw or %.',
      '20rem',
      { pattern: SIZE },
    ),
    ground: colour(
      'Background colour in hexadecimal CSS notation, `#rrggbb` or `#rgb`; write `#` as `%23`, or omit it.',
      '#10243e',
    ),
    ink: colour(
      `Colour of figures, marks and hands, with a contrast of at least ${MIN_INK_CONTRAST}:1 to \`ground\`; derived from \`ground\` if only that is given.`,
      '#f5e9d0',
    ),
    accent: colour(
      `Colour of second hands and signs, with a contrast of at least ${MIN_CONTRAST}:1 to \`ground\`; by default one that stands out from it.`,
      '#ff6a4d',
    ),
  },
  readsOf: READS_OF_LANGUAGE,
  absent: undefined,
  decode(query, context) {
    const options: ClockOptions = {
      ...(query.flag('hour12') && { hour12: true }),
      ...(query.flag('date') && { date: true }),
      ...parsedValue(query, 'lang', (lang, name) => ({ lang, names: namesOf(lang, name, context) })),
      ...parsedValue(query, 'size', parseSize),
      ...paletteIn(query),
    };
    return Object.keys(options).length === 0 ? undefined : options;
  },
});

function parseSize(size: string, name: string): Pick<ClockOptions, 'size'> {
  if (new RegExp(SIZE).test(size) && Number.parseFloat(size) > 0) return { size };
  throw unreadable(name, `${quoted(size)} is not a positive length in px, rem, em, vw or %, such as '20rem'`);
}

/** The colours of a query, completed from `ground`. Throws `INVALID_PARAMETER` for those that are hard to tell from it. */
function paletteIn(query: Query): Palette {
  const chosen: { -readonly [Name in keyof Palette]: string } = {};
  for (const name of ['ground', 'ink', 'accent'] as const) {
    const parsed = parsedValue(query, name, parseColour);
    if (parsed !== null) chosen[name] = parsed;
  }
  const { ground, ink } = chosen;
  if (ground !== undefined && ink !== undefined) rejectFaint('ink', ink, ground);
  const palette = completePalette(chosen);
  if (palette.ground !== undefined) rejectFaint('accent', palette.accent!, palette.ground);
  return palette;
}

/** Normalises a colour to `#rrggbb`. */
function parseColour(text: string, parameter: string): string {
  const digits = new RegExp(COLOUR).exec(text)?.[1]?.toLowerCase();
  if (digits === undefined) {
    throw unreadable(parameter, `${quoted(text)} is not a hexadecimal colour, such as '#10243e' or 'fff'`);
  }
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
}

function rejectFaint(name: 'ink' | 'accent', colour: string, ground: string): void {
  const contrast = contrastOf(colour, ground);
  const least = name === 'ink' ? MIN_INK_CONTRAST : MIN_CONTRAST;
  if (contrast >= least) return;
  const shown = `${Math.floor(contrast * 10) / 10}:1`;
  throw unreadable(
    name,
    `the contrast of ${colour} with the ground ${ground} is ${shown}; at least ${least}:1 is readable`,
  );
}

const StyleText = choice(
  STYLE_NAMES,
  'Style of the clock. Analog styles have hands; digital ones accept a `format`.',
  'analog-station',
);

/** The style of a clock; required unless there is a default. */
export function style(standard: StyleName | null): InputFactory<StyleName> {
  return name => ({
    parameters: { [name]: { ...StyleText, ...(standard !== null && { default: standard }) } },
    ...(standard === null ? { required: [name] } : { absent: standard }),
    decode: query => decodeStyle(query, name),
  });
}

function decodeStyle(query: Query, name: string): StyleName {
  const invalid = (message: string) =>
    new ServiceError('INVALID_PARAMETER', message, { parameter: name, valid_styles: STYLE_NAMES });
  if (!query.has(name)) throw invalid("A style is missing: give 'style', such as 'analog-station'");
  const problem = query.problemOf(name);
  if (problem !== undefined) throw invalid(problem.message);
  const given = query.peek(name);
  const known = STYLE_NAMES.find(style => style === given);
  if (known !== undefined) return known;
  const best = STYLE_NAMES.find(style => style.endsWith(`-${given}`));
  const advice = didYouMean(best === undefined ? nearest(given, STYLE_NAMES, 1) : [best]);
  throw invalid(
    `Cannot read '${name}': ${quoted(given)} is not one of the ${STYLE_NAMES.length} styles${advice}`,
  );
}

/** The strftime pattern of a digital clock; null for that of its style. */
export const format = optional(
  { ...FormatText, description: 'strftime pattern of a digital clock, replacing that of its style.' },
  (pattern, name) => {
    strftimeOf(pattern, name);
    return pattern;
  },
);
