import { ASSET_PATHS, type AssetPaths, CLOCK_PATH } from '../../clock/clock_config.ts';
import { unreadable } from '../../common/errors.ts';
import { onceSettled, whenReady } from '../../common/promises.ts';
import { strftimeOf } from '../../text/strftime.ts';
import { momentAt } from '../../text/time_payload.ts';
import { loadClockAssets } from '../assets/clock_assets.ts';
import { rejectedFlag, rejectedParameter, type Values } from '../inputs.ts';
import { clockTarget, countdown, format, label, options, style } from '../parameters/clocks.ts';
import { instantOfRangeEnd, type RangeEnd } from '../parameters/ranges.ts';
import { RESOLVED_SELECTORS, SELECTORS } from '../parameters/selectors.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { type HandlerContext, markupRoute } from '../route.ts';

/** The parameters common to all clock routes. */
export const CLOCK_INPUTS = {
  style: style(null),
  clock: clockTarget(Object.values(SELECTORS)),
  instant: timestamp,
  format,
  label,
  options,
  countdown_to: countdown,
  auto_tz: rejectedFlag(
    'a clock shows the same place to every visitor: name the place, or use visitor=true for the zone of each visitor',
  ),
  sign: rejectedFlag('clocks cannot be signed'),
  tzdata: rejectedParameter('clocks always use the current release'),
};

/** The clock rendering code, loaded after the start or for the first clock: it would delay the start by some milliseconds. */
export const loadDrawing = onceSettled(async () => ({
  ...(await import('../../clock/fragment.tsx')),
  ...(await import('../../clock/embed_page.tsx')),
  ...(await import('../../operations/clock.ts')),
}));
type Drawing = Awaited<ReturnType<typeof loadDrawing>>;

type ClockValues = Values<typeof CLOCK_INPUTS>;

/** The config, moment and assets of a requested clock. */
export function clockFor(values: ClockValues, { nowMs, snapshot }: HandlerContext, { clockConfig }: Drawing) {
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

/** Examples for every route of a single clock. */
export const CLOCK_EXAMPLES = [
  { title: 'A station clock', query: 'style=analog-station&tz=Europe/Zurich' },
  {
    title: 'At an instant',
    query: 'style=digital-split-flap&iso=2026-12-31T23:59:50&source_tz=Europe/Paris&tz=Europe/Paris',
  },
  { title: 'Counting down', query: 'style=digital-cyan&tz=Europe/Paris&countdown_to=2030-01-01' },
] as const;

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
    ...CLOCK_EXAMPLES,
    { title: 'With a custom format', query: 'style=digital-matrix&tz=Asia/Tokyo&format=%a+%H:%M:%S' },
    {
      title: 'With custom colours and language',
      query: 'style=digital-dashboard&tz=Europe/Vienna&lang=de&ground=10243e&accent=ffd166&label=Wien',
    },
    { title: "In the visitor's zone", query: 'style=analog-bauhaus&visitor=true&date=true' },
    { title: 'An unknown style', query: 'style=analog-cuckoo' },
  ],
  handle: (values, context) =>
    whenReady(loadDrawing(), drawing => {
      const { config, moment, assets } = clockFor(values, context, drawing);
      return drawing.clockFragment(config, moment, newClockId(), assets);
    }),
});

/** An id that is unique on a page: 48 random bits. */
export function newClockId(): string {
  return `service-clock-${crypto.randomUUID().slice(-12)}`;
}

const loadStylesheet = onceSettled(() =>
  whenReady(loadClockAssets(), ({ ASSET_FILES }) =>
    whenReady(ASSET_FILES.stylesheet.bodyIn('identity'), bytes => new TextDecoder().decode(bytes)),
  ),
);

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
  examples: CLOCK_EXAMPLES,
  handle: (values, context) =>
    whenReady(loadDrawing(), drawing => {
      const { config, moment } = clockFor(values, context, drawing);
      return whenReady(loadStylesheet(), stylesheet => drawing.stillClock(config, moment, stylesheet));
    }),
});
