import type { Moment } from '../common/moment.ts';
import { compileStrftime, type Strftime } from '../text/strftime.ts';
import { figureLine } from './figures/figure_line.ts';
import { type FigureSet, isDrawable, isNumeric } from './figures/figure_set.ts';
import { dotsAround } from './figures/paths.ts';
import { BEATS_MS, handAnglesAt } from './hand_angles.ts';
import type { AnalogDefinition, DigitalDefinition, StyleDefinition } from './styles/style.ts';

/**
 * The parts of a face that change with time, at a moment: texts by the part's name, attributes by `part@attribute`. Both
 * the server and the browser script draw from them, so that they always agree.
 */
export type LiveParts = Record<string, string>;

/** The attributes that change with time. The browser script sets no others, whatever the config of a clock names. */
export const LIVE_ATTRIBUTES: readonly string[] =
  'transform d viewBox width datetime data-fit data-dim data-turn data-day'.split(' ');

/** A face as a function of the moment. */
export interface LiveFace {
  /** `isCoarse` moves slow hands by whole degrees and stops blinking, which saves repainting every second. */
  readonly partsAt: (moment: Moment, isCoarse?: boolean) => LiveParts;
  /** How long the parts stay the same, in milliseconds. */
  readonly beatMs: number;
  /** The figures of the lines of the time; undefined if they are text. */
  readonly figures: FigureSet | undefined;
  /** The names of the lines of the time. */
  readonly timeLines: readonly string[];
}

const SECONDS_PER_DAY = 86_400;
/** Text for screen readers, without seconds: it would be announced, and laid out, every second. */
const SAID = '%H:%M, %A, %B %-d, %Y';

/**
 * Compiles what a style shows, with `format` in place of its own patterns. A face that is named by its offset does not
 * repeat it: see `placeOf`.
 */
export function liveFaceOf(
  definition: StyleDefinition,
  format: string | null,
  isNamedByOffset = false,
): LiveFace {
  const texts = { said: SAID };
  if (definition.family === 'digital') {
    return digitalFace(definition, { ...texts, offset: isNamedByOffset ? '%:z' : 'UTC%:z' }, format);
  }
  return analogFace(definition, isNamedByOffset ? texts : { ...texts, offset: 'UTC%:z' });
}

type Patterns = Readonly<Record<string, string>>;

function analogFace({ manner, date }: AnalogDefinition, common: Patterns): LiveFace {
  const textsAt = textsOf({ ...common, ...(date === undefined ? {} : { date }) });
  return {
    beatMs: BEATS_MS[manner],
    figures: undefined,
    timeLines: [],
    partsAt: (moment, isCoarse = false) => {
      const { hour, minute, second } = handAnglesAt(moment, manner);
      const slow = isCoarse ? Math.floor : (degrees: number) => degrees;
      return {
        'hour@transform': rotation(slow(hour)),
        'minute@transform': rotation(slow(minute)),
        'second@transform': rotation(second),
        ...textsAt(moment, isCoarse),
      };
    },
  };
}

function digitalFace(definition: DigitalDefinition, common: Patterns, format: string | null): LiveFace {
  const time = format === null ? definition.time : { time: format };
  const { figures: set } = definition;
  const figures = set !== undefined && (format === null || isDrawable(set, format)) ? set : undefined;
  const hasLetters = format !== null && !isNumeric(format);
  const lines = compiledLines(time);
  const textsAt = textsOf({ ...common, ...definition.texts });
  return {
    beatMs: 1000,
    figures,
    timeLines: Object.keys(time),
    partsAt: (moment, isCoarse = false) => ({
      ...timeAt(lines, figures, hasLetters, moment),
      ...textsAt(moment, isCoarse),
      ...gaugeAt(definition.gauge, moment, isCoarse),
    }),
  };
}

type Lines = readonly (readonly [name: string, Strftime])[];

function compiledLines(patterns: Patterns): Lines {
  return Object.entries(patterns).map(([name, pattern]) => [name, compileStrftime(pattern, 'format')]);
}

/** Texts that hold for a minute and so are formatted once per minute; if coarse, including the instant. */
function textsOf(patterns: Patterns): (moment: Moment, isCoarse: boolean) => LiveParts {
  const lines = compiledLines(patterns);
  let written = '';
  let texts: LiveParts = {};
  return (moment, isCoarse) => {
    const { dayNumber, hour, minute, offsetSeconds, abbreviation } = moment;
    const now = `${dayNumber} ${hour} ${minute} ${offsetSeconds} ${abbreviation}`;
    if (now !== written) {
      texts = Object.fromEntries(lines.map(([name, line]) => [name, line.format(moment)]));
      // The typographic minus sign.
      texts['offset'] = (texts['offset'] ?? '').replace('-', '\u2212');
      texts['said@datetime'] = instantOf(moment);
      written = now;
    }
    return isCoarse ? texts : { ...texts, 'said@datetime': instantOf(moment) };
  };
}

const INSTANT = compileStrftime('%Y-%m-%dT%H:%M:%S%:z', 'format');

/** An instant as HTML writes it, which allows only offsets of whole minutes. */
function instantOf(moment: Moment): string {
  return moment.offsetSeconds % 60 === 0 ? INSTANT.format(moment) : new Date(moment.epochMs).toISOString();
}

function timeAt(
  lines: Lines,
  figures: FigureSet | undefined,
  hasLetters: boolean,
  moment: Moment,
): LiveParts {
  const parts: LiveParts = {};
  for (const [name, line] of lines) {
    const text = line.format(moment);
    if (figures === undefined) {
      parts[name] = text;
      parts[`${name}@data-fit`] = fitOf(text);
    } else {
      const { viewBox, lit, tail, unlit } = figureLine(figures, text, hasLetters);
      parts[`${name}@viewBox`] = viewBox;
      parts[`${name}-lit@d`] = lit;
      parts[`${name}-tail@d`] = tail;
      parts[`${name}-unlit@d`] = unlit;
    }
  }
  return parts;
}

/** The step by which a line of text must shrink to fit: 0 for a time of day, larger for longer ones. */
function fitOf(text: string): string {
  const limits = [9, 12, 15, 19, 24, 48, 110, 300];
  const step = limits.findIndex(limit => text.length <= limit);
  return String(step === -1 ? limits.length : step);
}

function gaugeAt(gauge: DigitalDefinition['gauge'], moment: Moment, isCoarse: boolean): LiveParts {
  const { hour, minute, second } = moment;
  if (gauge === 'dots') return dotsAt(second);
  if (gauge === 'seconds') return { 'bar@width': percent((second + 1) / 60) };
  if (gauge === 'day')
    return { 'bar@width': percent((hour * 3600 + minute * 60 + second) / SECONDS_PER_DAY) };
  if (gauge === 'cursor') return { 'cursor@data-dim': String(isCoarse ? 0 : second % 2) };
  if (gauge === 'turn') return { 'turn@data-turn': !isCoarse && (second + 1) % 60 < 2 ? '1' : '' };
  if (gauge === 'week') return { 'week@data-day': String(moment.weekday) };
  return {};
}

const DOTS: LiveParts[] = [];

/** The dots of the full tens are a path of their own, so that the one that changes every second is short. */
function dotsAt(second: number): LiveParts {
  const tens = second - (second % 10);
  DOTS[second] ??= { 'dots@d': dotsAround(0, tens), 'dots-tail@d': dotsAround(tens, second + 1) };
  return DOTS[second];
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}

/** Rounds to tenths of a degree, as fine as a dial can show. */
function rotation(degrees: number): string {
  return `rotate(${Math.round(degrees * 10) / 10})`;
}
