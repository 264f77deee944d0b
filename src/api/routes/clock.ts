import { Type } from '@sinclair/typebox';
import { ASSET_PATHS, type AssetPaths, CLOCK_PATH } from '../../clock/clock_config.ts';
import { STYLE_NAMES, type StyleName } from '../../clock/styles/styles.ts';
import { nearest } from '../../common/nearest.ts';
import { once } from '../../common/once.ts';
import { quoted, ServiceError } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import { strftimeOf } from '../../text/strftime.ts';
import { momentAt } from '../../text/time_payload.ts';
import { type InputFactory, optional, type ParameterSchema } from '../parameters/input.ts';
import { FormatText, rejectedFlag, rejectedParameter } from '../parameters/schemas.ts';
import { clockTarget } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { htmlRoute } from '../route.ts';

/** The code that draws clocks, loaded with the first clock: a server starts some milliseconds sooner without it. */
const loadDrawing = once(async () => {
  const [{ clockFragment }, { clockConfig }] = await Promise.all([
    import('../../clock/fragment.tsx'),
    import('../../operations/clock.ts'),
  ]);
  return { clockFragment, clockConfig };
});

const style: InputFactory<StyleName> = name => ({
  parameters: {
    [name]: Type.String({
      description: 'How the clock looks. Analog ones have hands, digital ones take a `format`.',
      enum: [...STYLE_NAMES],
      examples: ['analog-station'],
    }) as unknown as ParameterSchema,
  },
  required: [name],
  decode: query => decodeStyle(query, name),
});

function decodeStyle(query: Query, name: string): StyleName {
  const invalid = (message: string) =>
    new ServiceError('INVALID_PARAMETER', message, { parameter: name, valid_styles: STYLE_NAMES });
  if (!query.has(name)) throw invalid("A style is missing: give 'style', such as 'analog-station'");
  const problem = query.problemOf(name);
  if (problem !== undefined) throw invalid(problem.message);
  const given = query.peek(name);
  const known = STYLE_NAMES.find(style => style === given);
  if (known !== undefined) return known;
  const best = STYLE_NAMES.find(style => style.endsWith(`-${given}`)) ?? nearest(given, STYLE_NAMES, 1)[0];
  const advice = best === undefined ? '' : `; did you mean '${best}'?`;
  throw invalid(
    `Cannot read '${name}': ${quoted(given)} is not one of the ${STYLE_NAMES.length} styles${advice}`,
  );
}

const format = optional(
  { ...FormatText, description: 'strftime pattern that a digital clock shows in place of its own.' },
  (pattern, name) => {
    strftimeOf(pattern, name);
    return pattern;
  },
);

export const clockRoute = htmlRoute({
  path: CLOCK_PATH,
  summary: 'A clock for your page, as a fragment of HTML',
  description:
    'The clock is drawn with the present time, and kept running by the script that comes with it. Without a selector it shows ' +
    'UTC. One with a timestamp starts from there and never requests the time. `auto_tz=true` is rejected, ' +
    'since the clock would show the zone of the machine that builds the page, and so are `sign=true` and `tzdata`. Stylesheet and script are at ' +
    `\`${CLOCK_PATH}/assets/v1/\`, without authentication.`,
  parameters: {
    style,
    clock: clockTarget,
    instant: timestamp,
    format,
    auto_tz: rejectedFlag('a clock shows the time of one place wherever its page is read: name the place'),
    sign: rejectedFlag('a clock is not signed'),
    tzdata: rejectedParameter('a clock requests its time with the current release'),
  },
  examples: [
    { title: 'A station clock', query: 'style=analog-station&tz=Europe/Zurich' },
    { title: 'In your own form', query: 'style=digital-matrix&tz=Asia/Tokyo&format=%a+%H:%M:%S' },
    {
      title: 'Starting at an instant',
      query: 'style=digital-split-flap&iso=2026-12-31T23:59:50&source_tz=Europe/Paris&tz=Europe/Paris',
    },
    { title: 'An unknown style', query: 'style=analog-cuckoo' },
  ],
  async handle({ style, clock: { target, selector }, instant, format }, { nowMs, snapshot: { publicUrl } }) {
    const { clockConfig, clockFragment } = await loadDrawing();
    const moment = momentAt(instant?.epochMs ?? nowMs, target);
    const isPinned = instant !== null;
    const config = clockConfig({ style, target, selector, format, isPinned, publicUrl }, moment);
    return clockFragment(config, moment, newClockId(), assetUrls(publicUrl));
  },
});

/** The URLs of stylesheet and script. */
function assetUrls(publicUrl: string): AssetPaths {
  return { stylesheet: publicUrl + ASSET_PATHS.stylesheet, script: publicUrl + ASSET_PATHS.script };
}

/** An id that no other clock of a page has: 48 random bits. */
export function newClockId(): string {
  return `service-clock-${crypto.randomUUID().slice(-12)}`;
}
