import { unreadable } from '../../common/errors.ts';
import { whenReady } from '../../common/promises.ts';
import { group, type InputFactory } from '../inputs.ts';
import { type ClockTarget, style } from '../parameters/clocks.ts';
import { isText, SELECTORS, SelectorSet } from '../parameters/selectors.ts';
import { listParameters, parseEntry } from '../parameters/targets.ts';
import { markupRoute } from '../route.ts';
import { textsOf } from '../slices.ts';
import { CLOCK_EXAMPLES, CLOCK_INPUTS, clockFor, loadDrawing, newClockId } from './clock.ts';

export const EMBED_PATH = '/embed/clock';
export const BOARD_PATH = '/embed/board';
export const OEMBED_PATH = '/oembed';

/** The style of an embedded clock by default. */
export const EMBED_STYLE = 'analog-station';
const EMBED_INPUTS = { ...CLOCK_INPUTS, style: style(EMBED_STYLE) };

export const clockEmbedRoute = markupRoute({
  path: EMBED_PATH,
  group: 'clock',
  summary: 'A standalone clock page, for iframes',
  description:
    'A complete page filled by the clock, unless `size` is given. Its background is transparent. Programs that embed pages ' +
    `by URL find its metadata at \`${OEMBED_PATH}\`.`,
  parameters: EMBED_INPUTS,
  lifetime: 'moment',
  examples: [...CLOCK_EXAMPLES, { title: 'An unknown style', query: 'style=analog-cuckoo' }],
  handle: (values, context) =>
    whenReady(loadDrawing(), drawing => {
      const { config, moment, assets } = clockFor(values, context, drawing);
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

/** Rendering a clock takes up to 0.6 ms, after which other requests get a turn. */
const CLOCKS_PER_SLICE = 1;

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
      clockFor({ ...values, clock, label: null, countdown_to: null }, context, drawing),
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
