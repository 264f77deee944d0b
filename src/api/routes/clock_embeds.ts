import { type Static, Type } from '@sinclair/typebox';
import { STYLE_NAMES, STYLES } from '../../clock/styles/styles.ts';
import { onceSettled, whenReady } from '../../common/caching.ts';
import { quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { encode, objectSchema } from '../../common/json.ts';
import { loadClockAssets } from '../assets/clock_assets.ts';
import {
  choice,
  group,
  type InputFactory,
  optional,
  parseChoice,
  parseWholeNumber,
  rejectedFlag,
  required,
  text,
  whole,
} from '../parameters/input.ts';
import { SELECTORS } from '../parameters/selectors.ts';
import { listParameters, RESOLVED_SELECTORS, SelectorSet } from '../parameters/targets.ts';
import { jsonRoute, markupRoute, textsOf } from '../route.ts';
import {
  CLOCK_INPUTS,
  type ClockTarget,
  clockTarget,
  EMBED_INPUTS,
  EMBED_STYLE,
  loadDrawing,
  newClockId,
  requestedClock,
} from './clock.ts';

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
    if (selection?.selector.text == null) throw OF_BOARDS.missing();
    const { name, text } = selection.selector;
    const items = query.get(name)!.split(text.separator); // it was supplied
    if (items.length > MAX_BOARD)
      throw unreadable(name, `it has ${items.length} places; a board has at most ${MAX_BOARD}`);
    return items.map(item => {
      if (item === '') throw unreadable(name, 'an entry of the list is empty');
      const target = text.parse(item, name, context, true);
      return { target, selector: text.clockOf(item, target) };
    });
  },
});

const { clock: _clock, label: _label, countdown_to: _countdown, ...BOARD_INPUTS } = EMBED_INPUTS;

export const clockBoardRoute = markupRoute({
  path: BOARD_PATH,
  group: 'clock',
  summary: 'A standalone page with several clocks, for iframes',
  description: 'A complete page with up to 12 clocks of the same style, one for each place.',
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

const pixels = (description: string) =>
  optional(whole(description, 480, 9999, 1), (value, name) => {
    const number = parseWholeNumber(value, name, 'pixels');
    if (number >= 1 && number <= 9999) return number;
    throw unreadable(name, `${number} is not from 1 to 9999`);
  });

const OEMBED_FORMATS = ['json', 'xml'] as const;

const address = required(
  text(
    'URL of a clock page on this server, absolute or relative to the root.',
    `${EMBED_PATH}?style=analog-brass`,
  ),
  `the URL of ${EMBED_PATH} or ${BOARD_PATH} on this server`,
  given => given,
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
  handle({ url, maxwidth, maxheight }, { baseUrl, commonDetails }) {
    const { address, width, height } = embeddablePage(url, baseUrl);
    const scale = Math.min(1, (maxwidth ?? width) / width, (maxheight ?? height) / height);
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    return encode<Static<typeof OembedPayload>>({
      version: '1.0',
      type: 'rich',
      provider_name: 'meridian',
      provider_url: baseUrl,
      title: 'Clock',
      html: `<iframe src="${address.replaceAll('&', '&amp;')}" width="${size.width}" height="${size.height}" title="Clock" loading="lazy" style="border:0;color-scheme:light"></iframe>`,
      ...size,
      ...(commonDetails && { details: commonDetails() }),
    });
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
