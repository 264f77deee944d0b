import {
  type ClockOptions,
  completePalette,
  contrastOf,
  MIN_CONTRAST,
  MIN_INK_CONTRAST,
  type Palette,
} from '../../clock/clock_config.ts';
import { quoted, unreadable } from '../../common/errors.ts';
import type { Query } from '../../http/query.ts';
import { type DecodeContext, group, type InputFactory, optional, type ParameterSchema } from './input.ts';
import { type RangeEnd, readEnd } from './instant_range.ts';
import { LanguageText, namesOf } from './rendering.ts';
import { flagSchema, text } from './schemas.ts';

const LabelText: ParameterSchema = {
  ...text('Label of the clock, instead of the name of its place.', 'Head office'),
  maxLength: 64,
};

/** The label of a clock; null without one. */
export const clockLabel: InputFactory<string | null> = optional(LabelText, (label, name) => {
  if (/\p{Cc}/u.test(label)) throw unreadable(name, `${quoted(label)} has a control character`);
  if (label.length > 64) throw unreadable(name, `it has ${label.length} characters; the maximum is 64`);
  return label;
});

const SIZE = '^[0-9]{1,4}(\\.[0-9]{1,3})?(px|rem|em|vw|%)$';
const COLOUR = '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$';

/** The options for the appearance of a clock; undefined if there are none. */
export const clockOptions: InputFactory<ClockOptions | undefined> = group({
  parameters: {
    hour12: flagSchema('Use the 12-hour clock, with AM and PM on clocks with figures.'),
    date: flagSchema('Show the date; styles without room for it show it instead of the offset.'),
    lang: LanguageText,
    size: text(
      'Width of a dial, or half the width of a digital clock: a CSS length in px, rem, em, vw or %.',
      '20rem',
      SIZE,
    ),
    ground: text(
      'Background colour in hexadecimal CSS notation, `#rrggbb` or `#rgb`; write `#` as `%23`, or omit it.',
      '#10243e',
      COLOUR,
    ),
    ink: text(
      'Colour of figures, marks and hands, with a contrast of at least 4.5:1 to `ground`; derived from `ground` if only that is given.',
      '#f5e9d0',
      COLOUR,
    ),
    accent: text(
      'Colour of second hands and signs, with a contrast of at least 3:1 to `ground`; by default one that stands out from it.',
      '#ff6a4d',
      COLOUR,
    ),
  },
  absent: undefined,
  decode(query, context) {
    const options: ClockOptions = {
      ...(query.flag('hour12') && { hour12: true }),
      ...(query.flag('date') && { date: true }),
      ...languageIn(query, context),
      ...sizeIn(query),
      ...paletteIn(query),
    };
    return Object.keys(options).length === 0 ? undefined : options;
  },
});

/** The instant that a clock counts down to, in its place's local time if it has no offset; null without one. */
export const countdownEnd: InputFactory<RangeEnd | null> = group({
  parameters: {
    countdown_to: text(
      'Count down to this instant, in days, hours, minutes and seconds: an ISO 8601 timestamp, which without an offset is local ' +
        'time in the place of the clock. Digital styles only.',
      '2027-01-01T00:00:00',
    ),
  },
  absent: null,
  decode: (query, { snapshot }) => readEnd('countdown_to', query, snapshot),
});

function languageIn(query: Query, context: DecodeContext): Pick<ClockOptions, 'lang' | 'names'> {
  const lang = query.get('lang');
  return lang === undefined ? {} : { lang, names: namesOf(lang, 'lang', context) };
}

function sizeIn(query: Query): Pick<ClockOptions, 'size'> {
  const size = query.get('size');
  if (size === undefined) return {};
  if (new RegExp(SIZE).test(size) && Number.parseFloat(size) > 0) return { size };
  throw unreadable(
    'size',
    `${quoted(size)} is not a positive length in px, rem, em, vw or %, such as '20rem'`,
  );
}

function paletteIn(query: Query): Palette {
  const chosen: { -readonly [Name in keyof Palette]: string } = {};
  for (const name of ['ground', 'ink', 'accent'] as const) {
    const colour = query.get(name);
    if (colour !== undefined) chosen[name] = parseColour(colour, name);
  }
  const { ground, ink } = chosen;
  if (ground !== undefined && ink !== undefined) rejectFaint('ink', ink, ground);
  const palette = completePalette(chosen);
  if (palette.ground !== undefined) rejectFaint('accent', palette.accent!, palette.ground);
  return palette;
}

/** Normalises a colour to `#rrggbb`. */
function parseColour(colour: string, parameter: string): string {
  const digits = new RegExp(COLOUR).exec(colour)?.[1]?.toLowerCase();
  if (digits === undefined) {
    throw unreadable(parameter, `${quoted(colour)} is not a hexadecimal colour, such as '#10243e' or 'fff'`);
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
