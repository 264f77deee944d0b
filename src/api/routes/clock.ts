import { Type } from '@sinclair/typebox';
import type { ClockSelector } from '../../clock/clock_config.ts';
import { ASSET_PATHS, type AssetPaths, CLOCK_PATH } from '../../clock/server_paths.ts';
import { STYLE_NAMES, type StyleName } from '../../clock/style_names.ts';
import { formatOffset } from '../../common/iso_text.ts';
import { nearest } from '../../common/nearest.ts';
import { quoted, ServiceError, unreadable } from '../../common/service_error.ts';
import { StillLoading } from '../../common/still_loading.ts';
import { asServiceError } from '../../http/errors.ts';
import type { Query } from '../../http/query.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { momentAt } from '../../operations/time_payload.ts';
import { parseAddress } from '../../places/ip_address.ts';
import { readFormat } from '../parameters/format.ts';
import { FormatText, TARGET_PARAMETERS, TIMESTAMP_PARAMETERS } from '../parameters/schemas.ts';
import {
  readSelector,
  rejectSeveralSelectors,
  type SelectorNames,
  TARGET_NAMES,
} from '../parameters/selector.ts';
import { readTimestamp, rejectSeveralTimestamps, TIMESTAMP_NAMES } from '../parameters/timestamp.ts';
import type { HtmlRoute } from '../route.ts';

const { auto_tz: _, ...SELECTORS } = TARGET_PARAMETERS;
const SELECTOR_NAMES: SelectorNames = { ...TARGET_NAMES, autoTz: null };

const StyleText = Type.String({
  description: 'How the clock looks. Analog ones have hands, digital ones take a `format`.',
  enum: [...STYLE_NAMES],
  examples: ['analog-station'],
});

/** Loaded with the first clock: a server that is asked for none starts sooner by some milliseconds. */
let drawing: typeof import('../clock_drawing.ts') | undefined;

async function loadDrawing(): Promise<void> {
  drawing ??= await import('../clock_drawing.ts');
}

export const clockRoute: HtmlRoute = {
  kind: 'html',
  path: CLOCK_PATH,
  summary: 'A clock for your page, as a piece of HTML',
  description:
    'The clock is drawn as it stands, and kept going by the script that comes with it. Without a selector it shows ' +
    'UTC. One that is given a timestamp runs on from there and never asks for the time. `auto_tz=true` is refused, ' +
    'since the clock would show where the page is made, and so is `sign=true`. Stylesheet and script are at ' +
    `\`${CLOCK_PATH}/assets/v1/\`, for everybody.`,
  query: Type.Object({
    style: StyleText,
    ...SELECTORS,
    ...TIMESTAMP_PARAMETERS,
    format: Type.Optional({
      ...FormatText,
      description: 'strftime pattern of what a digital clock shows, in place of its own.',
    }),
  }),
  refusedFlags: ['auto_tz', 'sign'],
  examples: [
    { title: 'A station clock', query: 'style=analog-station&tz=Europe/Zurich' },
    { title: 'In your own form', query: 'style=digital-matrix&tz=Asia/Tokyo&format=%a+%H:%M:%S' },
    {
      title: 'From an instant on',
      query: 'style=digital-split-flap&iso=2026-12-31T23:59:50&source_tz=Europe/Paris&tz=Europe/Paris',
    },
    { title: 'A style that there is not', query: 'style=analog-cuckoo' },
  ],
  load: loadDrawing,
  prepare({ query, services }) {
    if (drawing === undefined) throw new StillLoading(loadDrawing());
    const { clockConfig, clockFragment } = drawing;
    rejectSeveralTimestamps(query, TIMESTAMP_NAMES);
    rejectSeveralSelectors(query, SELECTOR_NAMES);
    const style = readStyle(query);
    const target = readSelector(query, SELECTOR_NAMES, services, null) ?? NO_TARGET;
    const instant = readTimestamp(query, TIMESTAMP_NAMES, services);
    readFormat(query);
    refuseFlags(query);
    const { publicUrl } = services;
    const assets = assetUrls(publicUrl);
    const clock = {
      style,
      target,
      selector: selectorOf(query, target),
      format: query.get('format') ?? null,
      isPinned: instant !== null,
      publicUrl,
    };
    return now => {
      const moment = momentAt(instant?.epochMs ?? now(), target);
      return clockFragment(clockConfig(clock, moment), moment, newClockId(), assets);
    };
  },
};

/** Where a server's clocks load stylesheet and script from. */
function assetUrls(publicUrl: string): AssetPaths {
  return { stylesheet: publicUrl + ASSET_PATHS.stylesheet, script: publicUrl + ASSET_PATHS.script };
}

/** An id that no other clock of a page has: 48 random bits. */
export function newClockId(): string {
  return `service-clock-${crypto.randomUUID().slice(-12)}`;
}

function readStyle(query: Query): StyleName {
  try {
    return styleNamed(query.get('style'));
  } catch (error) {
    // Whatever is wrong with it, the caller is told what there is.
    const { code, message } = asServiceError(error);
    throw new ServiceError(code, message, { valid_styles: STYLE_NAMES });
  }
}

function styleNamed(given: string | undefined): StyleName {
  if (given === undefined) {
    throw new ServiceError('INVALID_PARAMETER', "A style is missing: give 'style', such as 'analog-station'");
  }
  const style = STYLE_NAMES.find(name => name === given);
  if (style !== undefined) return style;
  const best = STYLE_NAMES.find(name => name.endsWith(`-${given}`)) ?? nearest(given, STYLE_NAMES, 1)[0];
  const advice = best === undefined ? '' : `; did you mean '${best}'?`;
  throw unreadable('style', `${quoted(given)} is not one of the ${STYLE_NAMES.length} styles${advice}`);
}

/** The selector of a request, in the form that the script asks again with. */
function selectorOf(query: Query, target: Target): ClockSelector {
  const ip = query.get('ip');
  if (ip !== undefined) return { kind: 'ip', ip: parseAddress(ip, 'ip').text };
  if (query.has('lat')) {
    return { kind: 'coordinates', lat: plainDegrees(query.get('lat')), lon: plainDegrees(query.get('lon')) };
  }
  if (query.has('offset')) return { kind: 'offset', offset: formatOffset(target.periodAt(0).offsetSeconds) };
  return target.zone === null ? { kind: 'none' } : { kind: 'tz', tz: target.zone.name };
}

/**
 * Degrees that a script can write without an exponent, which no route reads: JavaScript has one below 0.000001, a tenth of
 * a metre.
 */
function plainDegrees(text: string | undefined): number {
  const degrees = Number(text);
  return Math.abs(degrees) < 1e-6 ? 0 : degrees;
}

const REFUSALS = {
  auto_tz: 'a clock shows the time of its page, wherever that is read: name a place',
  sign: 'a clock is not signed',
} as const;

function refuseFlags(query: Query): void {
  for (const [name, reason] of Object.entries(REFUSALS)) {
    if (query.flag(name)) throw unreadable(name, reason);
  }
}
