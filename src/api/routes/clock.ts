import { type Static, Type } from '@sinclair/typebox';
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
import { STYLE_NAMES, STYLES, type StyleName } from '../../clock/styles/styles.ts';
import { didYouMean, quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { encode, objectSchema } from '../../common/json.ts';
import { onceSettled, whenReady } from '../../common/promises.ts';
import { nearest } from '../../common/words.ts';
import type { Query } from '../../http/query.ts';
import { dataSets } from '../../operations/served_data.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { strftimeOf } from '../../text/strftime.ts';
import { momentAt } from '../../text/time_payload.ts';
import { loadClockAssets } from '../assets/clock_assets.ts';
import {
  asGiven,
  choice,
  FormatText,
  flagSchema,
  group,
  type InputFactory,
  optional,
  parseChoice,
  parsedValue,
  rejectedFlag,
  rejectedParameter,
  required,
  text,
  type Values,
  wholeWithin,
} from '../inputs.ts';
import { LanguageText, namesOf, READS_OF_LANGUAGE } from '../parameters/rendering.ts';
import {
  isText,
  listParameters,
  parseEntry,
  RESOLVED_SELECTORS,
  SELECTORS,
  type Selection,
  type Selector,
  SelectorSet,
} from '../parameters/targets.ts';
import { instantOfRangeEnd, parseEnd, type RangeEnd, timestamp } from '../parameters/timestamps.ts';
import { type HandlerContext, jsonRoute, markupRoute, textsOf, withDetails } from '../route.ts';

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

const EMBED_STYLE = 'analog-station';
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

const EMBED_PATH = '/embed/clock';
const BOARD_PATH = '/embed/board';
const OEMBED_PATH = '/oembed';
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

const pixels = (description: string) => wholeWithin(description, 'pixels', 480, 9999);

const OEMBED_FORMATS = ['json', 'xml'] as const;

const address = required(
  text(
    'URL of a clock page on this server, absolute or relative to the root.',
    `${EMBED_PATH}?style=analog-brass`,
  ),
  `the URL of ${EMBED_PATH} or ${BOARD_PATH} on this server`,
  asGiven,
);

const oembedFormat = optional(
  choice(OEMBED_FORMATS, 'Format of the response; only `json` is supported.'),
  (value, name) => {
    if (parseChoice(value, name, OEMBED_FORMATS) === 'json') return 'json';
    throw new ServiceError('DEPENDENCY_NOT_READY', 'oEmbed is available only as JSON: use format=json');
  },
);

const OembedPayload = objectSchema(
  'OembedPayload',
  'How to embed a clock: https://oembed.com, section 2.3.',
  {
    version: Type.Literal('1.0', { description: 'The version of oEmbed.' }),
    type: Type.Literal('rich', { description: 'The kind of content: HTML.' }),
    provider_name: Type.String({ description: 'The name of this service.' }),
    provider_url: Type.String({ format: 'uri', description: 'The URL of this server.' }),
    title: Type.String({ description: 'A title for the clock.' }),
    html: Type.String({ description: 'An `iframe` for a page.' }),
    width: Type.Integer({ description: 'Width of the frame in pixels.' }),
    height: Type.Integer({ description: 'Height of the frame in pixels.' }),
  },
);

export const oembedRoute = jsonRoute({
  path: OEMBED_PATH,
  group: 'clock',
  summary: 'How to embed a clock page, by its URL',
  description: `oEmbed 1.0, for programs into which people paste a URL of \`${EMBED_PATH}\` or \`${BOARD_PATH}\`.`,
  parameters: {
    url: address,
    maxwidth: pixels('Maximum width of the frame in pixels.'),
    maxheight: pixels('Maximum height of the frame in pixels.'),
    format: oembedFormat,
  },
  lifetime: 'moment',
  payload: OembedPayload,
  errors: ['NOT_FOUND'],
  examples: [
    { title: 'A clock', query: `url=${EMBED_PATH}%3Fstyle=analog-brass` },
    {
      title: 'A board that fits into 360 pixels',
      query: 'url=/embed/board%3Fstyle=analog-brass&maxwidth=360',
    },
  ],
  handle({ url, maxwidth, maxheight }, context) {
    const { baseUrl } = context;
    const { address, width, height } = embeddablePage(url, baseUrl);
    const scale = Math.min(1, (maxwidth ?? width) / width, (maxheight ?? height) / height);
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    const payload = encode<Static<typeof OembedPayload>>({
      version: '1.0',
      type: 'rich',
      provider_name: 'meridian',
      provider_url: baseUrl,
      title: 'Clock',
      html: `<iframe src="${address.replaceAll('&', '&amp;')}" width="${size.width}" height="${size.height}" title="Clock" loading="lazy" style="border:0;color-scheme:light"></iframe>`,
      ...size,
    });
    return withDetails(payload, context);
  },
});

/** The clock page at a URL, as normalized by browsers, and the size of its frame. */
function embeddablePage(url: string, baseUrl: string) {
  const parsed = URL.parse(url, baseUrl);
  const given = parsed?.searchParams.get('style') ?? EMBED_STYLE;
  const style = STYLE_NAMES.find(name => name === given);
  const page = [EMBED_PATH, BOARD_PATH].find(path => parsed?.href.split('?', 1)[0] === `${baseUrl}${path}`);
  if (parsed === null || style === undefined || page === undefined) {
    throw new ServiceError('NOT_FOUND', `There is no clock page at ${quoted(url)} on ${baseUrl}`);
  }
  const [width, height] =
    page === BOARD_PATH ? [720, 480] : STYLES[style].definition.family === 'analog' ? [240, 240] : [480, 192];
  return { address: parsed.href, width, height };
}
