import {
  ASSET_PATHS,
  type AssetPaths,
  CLOCK_PATH,
  type ClockOptions,
  type ClockSelector,
} from '../../clock/clock_config.ts';
import {
  completePalette,
  contrastOf,
  MIN_CONTRAST,
  MIN_INK_CONTRAST,
  type Palette,
} from '../../clock/palette.ts';
import { STYLE_NAMES, type StyleName } from '../../clock/styles/styles.ts';
import { didYouMean, quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { onceSettled, whenReady } from '../../common/promises.ts';
import { nearest } from '../../common/words.ts';
import type { Query } from '../../http/query.ts';
import { dataSets } from '../../operations/served_data.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { strftimeOf } from '../../text/strftime.ts';
import { momentAt } from '../../text/time_payload.ts';
import { loadClockAssets } from '../assets/clock_assets.ts';
import {
  choice,
  flagSchema,
  group,
  type InputFactory,
  optional,
  parsedValue,
  rejectedFlag,
  rejectedParameter,
  text,
  type Values,
} from '../inputs.ts';
import { FormatText, LanguageText, namesOf, READS_OF_LANGUAGE } from '../parameters/rendering.ts';
import {
  isText,
  RESOLVED_SELECTORS,
  SELECTORS,
  type Selection,
  type Selector,
  SelectorSet,
} from '../parameters/selectors.ts';
import { listParameters, parseEntry } from '../parameters/targets.ts';
import { instantOfRangeEnd, parseEnd, type RangeEnd, timestamp } from '../parameters/timestamps.ts';
import { type HandlerContext, markupRoute } from '../route.ts';
import { textsOf } from '../slices.ts';

const MAX_LABEL_LENGTH = 64;
const LabelText = text('Label of the clock, instead of the name of its place.', 'Head office', {
  maxLength: MAX_LABEL_LENGTH,
});

const clockLabel: InputFactory<string | null> = optional(LabelText, (label, name) => {
  if (/\p{Cc}/u.test(label)) throw unreadable(name, `${quoted(label)} has a control character`);
  if (label.length > MAX_LABEL_LENGTH)
    throw unreadable(name, `it has ${label.length} characters; the maximum is ${MAX_LABEL_LENGTH}`);
  return label;
});

const SIZE = '^[0-9]{1,4}(\\.[0-9]{1,3})?(px|rem|em|vw|%)$';
const COLOUR = '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$';
const colour = (description: string, example: string) => text(description, example, { pattern: COLOUR });

/** The options for the appearance of a clock; undefined if there are none. */
const clockOptions: InputFactory<ClockOptions | undefined> = group({
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
      'Colour of figures, marks and hands, with a contrast of at least 4.5:1 to `ground`; derived from `ground` if only that is given.',
      '#f5e9d0',
    ),
    accent: colour(
      'Colour of second hands and signs, with a contrast of at least 3:1 to `ground`; by default one that stands out from it.',
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

/** The instant that a clock counts down to, in its place's local time if it has no offset; null without one. */
const countdownEnd: InputFactory<RangeEnd | null> = optional(
  text(
    'Count down to this instant, in days, hours, minutes and seconds: an ISO 8601 timestamp, which without an offset is local ' +
      'time in the place of the clock. Digital styles only.',
    '2027-01-01T00:00:00',
  ),
  (value, name, { snapshot }) => parseEnd(value, name, snapshot),
  dataSets('zones'),
);

function parseSize(size: string, name: string): Pick<ClockOptions, 'size'> {
  if (new RegExp(SIZE).test(size) && Number.parseFloat(size) > 0) return { size };
  throw unreadable(name, `${quoted(size)} is not a positive length in px, rem, em, vw or %, such as '20rem'`);
}

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

/** The clock rendering code, loaded after the start or for the first clock: it would delay the start by some milliseconds. */
export const loadDrawing = onceSettled(async () => ({
  ...(await import('../../clock/fragment.tsx')),
  ...(await import('../../clock/embed_page.tsx')),
  ...(await import('../../operations/clock.ts')),
}));
type Drawing = Awaited<ReturnType<typeof loadDrawing>>;

/** A target, and the selector that a clock stores for it. */
interface ClockTarget {
  readonly target: Target;
  readonly selector: ClockSelector;
}

/** The target of a clock by one of some selectors, and how the clock stores it. */
function clockTarget(selectors: readonly Selector[]): InputFactory<ClockTarget> {
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

const StyleText = choice(
  STYLE_NAMES,
  'Style of the clock. Analog styles have hands; digital ones accept a `format`.',
  'analog-station',
);

/** The style of a clock; required unless there is a default. */
function style(standard: StyleName | null): InputFactory<StyleName> {
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

const format = optional(
  { ...FormatText, description: 'strftime pattern of a digital clock, replacing that of its style.' },
  (pattern, name) => {
    strftimeOf(pattern, name);
    return pattern;
  },
);

/** The parameters common to all clock routes. */
const CLOCK_INPUTS = {
  style: style(null),
  clock: clockTarget(Object.values(SELECTORS)),
  instant: timestamp,
  format,
  label: clockLabel,
  options: clockOptions,
  countdown_to: countdownEnd,
  auto_tz: rejectedFlag(
    'a clock shows the same place to every visitor: name the place, or use visitor=true for the zone of each visitor',
  ),
  sign: rejectedFlag('clocks cannot be signed'),
  tzdata: rejectedParameter('clocks always use the current release'),
};

export const EMBED_STYLE = 'analog-station';
const EMBED_INPUTS = { ...CLOCK_INPUTS, style: style(EMBED_STYLE) };

type ClockValues = Values<typeof CLOCK_INPUTS>;

/** The config, moment and assets of a requested clock. */
function requestedClock(values: ClockValues, { nowMs, snapshot }: HandlerContext, { clockConfig }: Drawing) {
  const { style, clock, instant, format, label, options, countdown_to: countdown } = values;
  if (format !== null && options?.hour12)
    throw unreadable('hour12', "it has no effect with 'format': use '%I' and '%p'");
  const ending = countdown === null ? null : countdownOf(countdown, values);
  const moment = momentAt(instant?.epochMs ?? nowMs, clock.target);
  const request = {
    ...clock,
    style,
    format,
    label: label ?? ending?.label ?? null,
    options: ending === null ? options : { ...options, countdown_unix_ms: ending.epochMs },
    isPinned: instant !== null,
    publicUrl: snapshot.publicUrl,
  };
  const assets: AssetPaths = {
    stylesheet: snapshot.publicUrl + ASSET_PATHS.stylesheet,
    script: snapshot.publicUrl + ASSET_PATHS.script,
  };
  return { config: clockConfig(request, moment), moment, assets };
}

function countdownOf(end: RangeEnd, { style, format, clock, options }: ClockValues) {
  if (style.startsWith('analog-'))
    throw unreadable(end.name, 'analog clocks cannot count down: choose a digital style');
  if (format !== null) throw unreadable(end.name, "a countdown has its own format: omit 'format'");
  const epochMs = instantOfRangeEnd(end, clock.target);
  const label = strftimeOf('%-d %b %Y, %H:%M', end.name, options?.names);
  return { epochMs, label: label.format(momentAt(epochMs, clock.target)) };
}

export const clockRoute = markupRoute({
  path: CLOCK_PATH,
  group: 'clock',
  summary: 'A clock for your page, as an HTML fragment',
  description:
    'The clock is rendered with the current time, and run by the script that it includes. Without a selector it shows UTC. ' +
    'With a timestamp it runs from that instant and never requests the time. `auto_tz=true` is rejected, since the clock ' +
    'would show the zone of the machine that builds the page, as are `sign=true` and `tzdata`. The stylesheet and script are ' +
    `at \`${CLOCK_PATH}/assets/v1/\` and require no authentication.`,
  parameters: CLOCK_INPUTS,
  lifetime: 'moment',
  examples: [
    { title: 'A station clock', query: 'style=analog-station&tz=Europe/Zurich' },
    { title: 'With a custom format', query: 'style=digital-matrix&tz=Asia/Tokyo&format=%a+%H:%M:%S' },
    {
      title: 'Starting at an instant',
      query: 'style=digital-split-flap&iso=2026-12-31T23:59:50&source_tz=Europe/Paris&tz=Europe/Paris',
    },
    {
      title: 'With custom colours and language',
      query: 'style=digital-dashboard&tz=Europe/Vienna&lang=de&ground=10243e&accent=ffd166&label=Wien',
    },
    { title: 'Counting down', query: 'style=digital-cyan&tz=Europe/Paris&countdown_to=2030-01-01' },
    { title: "In the visitor's zone", query: 'style=analog-bauhaus&visitor=true&date=true' },
    { title: 'An unknown style', query: 'style=analog-cuckoo' },
  ],
  handle: (values, context) =>
    whenReady(loadDrawing(), drawing => {
      const { config, moment, assets } = requestedClock(values, context, drawing);
      return drawing.clockFragment(config, moment, newClockId(), assets);
    }),
});

/** An id that is unique on a page: 48 random bits. */
export function newClockId(): string {
  return `service-clock-${crypto.randomUUID().slice(-12)}`;
}

export const EMBED_PATH = '/embed/clock';
export const BOARD_PATH = '/embed/board';
export const OEMBED_PATH = '/oembed';
/** Rendering a clock takes up to 0.6 ms, after which other requests get a turn. */
const CLOCKS_PER_SLICE = 1;

const loadStylesheet = onceSettled(() =>
  whenReady(loadClockAssets(), ({ ASSET_FILES }) =>
    whenReady(ASSET_FILES.stylesheet.bodyIn('identity'), bytes => new TextDecoder().decode(bytes)),
  ),
);

const IMAGE_EXAMPLES = [
  { title: 'A station clock', query: 'style=analog-station&tz=Europe/Zurich' },
  {
    title: 'At an instant',
    query: 'style=digital-split-flap&iso=2026-12-31T23:59:50&source_tz=Europe/Paris&tz=Europe/Paris',
  },
  { title: 'Counting down', query: 'style=digital-cyan&tz=Europe/Paris&countdown_to=2030-01-01' },
] as const;

export const clockImageRoute = markupRoute({
  path: '/v1/time/clock.svg',
  group: 'clock',
  summary: 'A clock as a static image',
  description:
    'For pages and programs that allow neither scripts nor frames: an SVG image of the clock at the time of the request. ' +
    'Faces are HTML within the image, which browsers render, but most other programs do not. `visitor=true` is rejected.',
  contentType: 'image/svg+xml; charset=utf-8',
  parameters: {
    ...CLOCK_INPUTS,
    clock: clockTarget(RESOLVED_SELECTORS),
    visitor: rejectedFlag("an image does not know the visitor's zone: name a place"),
  },
  lifetime: 'moment',
  examples: IMAGE_EXAMPLES,
  handle: (values, context) =>
    whenReady(loadDrawing(), drawing => {
      const { config, moment } = requestedClock(values, context, drawing);
      return whenReady(loadStylesheet(), stylesheet => drawing.stillClock(config, moment, stylesheet));
    }),
});

export const clockEmbedRoute = markupRoute({
  path: EMBED_PATH,
  group: 'clock',
  summary: 'A standalone clock page, for iframes',
  description:
    'A complete page filled by the clock, unless `size` is given. Its background is transparent. Programs that embed pages ' +
    `by URL find its metadata at \`${OEMBED_PATH}\`.`,
  parameters: EMBED_INPUTS,
  lifetime: 'moment',
  examples: [...IMAGE_EXAMPLES, { title: 'An unknown style', query: 'style=analog-cuckoo' }],
  handle: (values, context) =>
    whenReady(loadDrawing(), drawing => {
      const { config, moment, assets } = requestedClock(values, context, drawing);
      const address = encodeURIComponent(context.baseUrl + context.requestTarget);
      return drawing.embedPage({
        title: `Time in ${config.timezone_label}`,
        language: config.options?.lang ?? 'en',
        layout: config.styleDefinition.family,
        clocks: [drawing.clock(config, moment, newClockId())],
        assets,
        oembedUrl: `${context.baseUrl}${OEMBED_PATH}?url=${address}`,
      });
    }),
});

const MAX_BOARD = 12;
const OF_BOARDS = new SelectorSet([SELECTORS.tz, SELECTORS.place]);

/** The targets of a board, and how its clocks store them. */
const boardClocks: InputFactory<readonly ClockTarget[]> = group({
  ...OF_BOARDS.input,
  parameters: listParameters(OF_BOARDS.selectors),
  decode(query, context, selection) {
    const selector = selection?.selector;
    if (selector === undefined || !isText(selector)) throw OF_BOARDS.missing();
    const { name, text } = selector;
    const items = query.get(name)!.split(text.separator); // it was supplied
    if (items.length > MAX_BOARD)
      throw unreadable(name, `it has ${items.length} places; a board has at most ${MAX_BOARD}`);
    return items.map(item => {
      const target = parseEntry(item, selector, context, true);
      return { target, selector: text.clockOf(item, target) };
    });
  },
});

const { clock: _clock, label: _label, countdown_to: _countdown, ...BOARD_INPUTS } = EMBED_INPUTS;

export const clockBoardRoute = markupRoute({
  path: BOARD_PATH,
  group: 'clock',
  summary: 'A standalone page with several clocks, for iframes',
  description: `A complete page with up to ${MAX_BOARD} clocks of the same style, one for each place.`,
  parameters: { clocks: boardClocks, ...BOARD_INPUTS },
  lifetime: 'moment',
  examples: [
    { title: 'By zone', query: 'style=analog-bauhaus&tz=America/New_York,Europe/London,Asia/Tokyo' },
    { title: 'By city', query: 'place=Munich;Portland, US-ME' },
    {
      title: 'At an instant',
      query: 'style=digital-card&iso=2026-12-31T23:59:50&source_tz=Europe/Paris&tz=Europe/Paris,Asia/Tokyo',
    },
    { title: 'Without places', query: 'style=analog-bauhaus' },
  ],
  async handle({ clocks, ...values }, context) {
    const drawing = await loadDrawing();
    const drawn = clocks.map(clock =>
      requestedClock({ ...values, clock, label: null, countdown_to: null }, context, drawing),
    );
    const faces = await textsOf(
      drawn,
      ({ config, moment }) => drawing.clock(config, moment, newClockId()),
      CLOCKS_PER_SLICE,
    );
    const { assets } = drawn[0]!; // a board has at least one clock
    return drawing.embedPage({
      title: `Time in ${drawn.map(({ config }) => config.timezone_label).join(', ')}`,
      language: values.options?.lang ?? 'en',
      layout: 'board',
      clocks: faces,
      assets,
      oembedUrl: null,
    });
  },
});
