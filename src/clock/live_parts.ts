import { SECONDS_PER_DAY } from '../common/civil.ts';
import { Moment } from '../common/moment.ts';
import type { TimeNames } from '../text/languages.ts';
import { compileStrftime, type Strftime } from '../text/strftime.ts';
import { type ClockConfig, type ClockOptions, isNamedByOffset } from './clock_config.ts';
import {
  dotsAround,
  type FigureSet,
  isNumeric,
  type LineWriter,
  letteredSet,
  tenths,
} from './figures/glyph_line.ts';
import type { AnalogDefinition, DigitalDefinition, HandManner, Spot } from './styles/style.ts';

/**
 * The parts of a face that change with time, at a moment: texts by the part's name, attributes by `part@attribute`. Both
 * the server and the browser script draw from them, so that they always agree.
 */
export type LiveParts = Record<string, string>;

/** The attributes that change with time. The browser script sets no others, even if a config names them. */
export const LIVE_ATTRIBUTES: readonly string[] =
  'transform d viewBox width textLength datetime data-fit data-dim data-turn data-day'.split(' ');

/** A face as a function of the moment. */
export interface LiveFace {
  /** `isCoarse` moves slow hands by whole degrees and stops blinking, which saves repainting every second. */
  readonly partsAt: (moment: Moment, isCoarse?: boolean) => LiveParts;
  /** The figures of the lines of the time; undefined if they are type. */
  readonly figures: FigureSet | undefined;
  /** The names of the lines of the time. */
  readonly timeLines: readonly string[];
  readonly form: Form;
}

/** The layout of a face: its own, the same with 12 hours and an AM/PM mark, or that of a format. */
type Form = 'own' | 'halved' | 'formatted';

/** Text for screen readers. Without seconds, since it would be announced and laid out every second. */
const SAID = '%H:%M, %A, %B %-d, %Y';
/** The format of a 12-hour clock. */
const WITH_12_HOURS = '%-I:%M:%S %p';
const DATE = '%a %-d %b';
/** A placeholder for the time until an instant, with the characters used for writing it. */
const COUNTDOWN = 'd %H:%M:%S';
/** A 12-hour time and its AM/PM directive. */
const HALVED = /^(%-?[Il]):%M(:%S)? ?%[pP]$/;

/** Compiles the contents of a face; its format replaces the patterns of its style. `isInRows`: whether the label of a dial has several rows. */
export function liveFaceOf(
  config: ClockConfig,
  isInRows: boolean,
  writerIn: (set: FigureSet) => LineWriter,
): LiveFace {
  const { styleDefinition: definition, options = {} } = config;
  const patterns = patternsOf(config);
  return definition.family === 'digital'
    ? digitalFace(definition, patterns, writerIn, options)
    : analogFace(definition, patterns, isInRows, writerIn('letters'), options);
}

/** The strftime patterns of a face: its time lines, which change every second, and other lines. */
export interface FacePatterns {
  readonly form: Form;
  readonly time: Patterns;
  readonly texts: Patterns;
}

type Patterns = Readonly<Record<string, string>>;

/** A face that is named by its offset does not repeat it. */
export function patternsOf(config: ClockConfig): FacePatterns {
  const { styleDefinition: definition, format, options = {} } = config;
  const { hour12, date: withDate, countdown_unix_ms: countdownMs } = options;
  const isNamed = isNamedByOffset(config);
  if (definition.family === 'analog') {
    const { date } = definition;
    const offset: Patterns = isNamed ? {} : { offset: 'UTC%:z' };
    const texts = withDate ? { offset: DATE } : offset;
    return { form: 'own', time: {}, texts: date === undefined ? texts : { ...texts, date } };
  }
  const texts = { offset: isNamed ? '%:z' : 'UTC%:z', ...definition.texts };
  if (withDate && !hasDate(definition)) texts.offset = DATE;
  const wanted = countdownMs === undefined ? (format ?? (hour12 ? WITH_12_HOURS : null)) : COUNTDOWN;
  if (wanted === null) return { form: 'own', time: definition.time, texts };
  const halved = HALVED.exec(wanted);
  if (halved === null || definition.figures === undefined) {
    return { form: 'formatted', time: { time: wanted }, texts };
  }
  const time = halvedTime(definition.time, halved);
  // The mark is one of the flaps.
  if (definition.renderer === 'flap') return { form: 'halved', time: { time: `${time['time']}%p` }, texts };
  return { form: 'halved', time, texts: { ...texts, half: '%p' } };
}

function hasDate({ texts = {} }: DigitalDefinition): boolean {
  return /%-?d/.test(Object.values(texts).join());
}

/** The lines of a 12-hour time; seconds are shown if the format has them, unless they have a separate line. */
function halvedTime(time: Patterns, [, hour, seconds = '']: RegExpExecArray): Patterns {
  const halved = (pattern: string) => pattern.replace('%H', hour!).replace('%M:%S', `%M${seconds}`);
  return Object.fromEntries(Object.entries(time).map(([name, pattern]) => [name, halved(pattern)]));
}

function analogFace(
  definition: AnalogDefinition,
  { texts }: FacePatterns,
  isInRows: boolean,
  draw: LineWriter,
  options: ClockOptions,
): LiveFace {
  const { manner, hasSector } = definition;
  const textsAt = textsOf(texts, draw, options);
  return {
    form: 'own',
    figures: undefined,
    timeLines: [],
    partsAt: (moment, isCoarse = false) => {
      const { hour, minute, second } = handAnglesAt(moment, manner);
      const slow = isCoarse ? Math.floor : (degrees: number) => degrees;
      return {
        'hour@transform': rotation(slow(hour)),
        'minute@transform': rotation(slow(minute)),
        'second@transform': rotation(second),
        'label@transform': `translate(${labelSpotAt(moment, definition, isInRows).join(' ')})`,
        // The ground of a label on the dial `grid`, from the offset to the top of the name.
        'patch@d': isInRows ? 'M-24 -19H24V11H-24z' : 'M-24 -12H24V12H-24z',
        ...(hasSector ? { 'sector@d': sectorAt(slow(minute)) } : {}),
        ...textsAt(moment, isCoarse),
      };
    },
  };
}

function digitalFace(
  definition: DigitalDefinition,
  { form, time, texts }: FacePatterns,
  writerIn: (set: FigureSet) => LineWriter,
  options: ClockOptions,
): LiveFace {
  const { figures: own, gauge, letters = 'letters' } = definition;
  const figures = own && figuresFor(own, time);
  const { countdown_unix_ms: countdownMs, names } = options;
  const lines: Lines =
    countdownMs === undefined ? compiledLines(time, names) : [['time', remaining(countdownMs, '%H:%M:%S')]];
  const draw = figures === undefined || definition.renderer === 'flap' ? undefined : writerIn(figures);
  const textsAt = textsOf(texts, figures === undefined ? undefined : writerIn(letters), options);
  return {
    form,
    figures,
    timeLines: Object.keys(time),
    partsAt: (moment, isCoarse = false) => {
      const parts: LiveParts = {};
      for (const [name, line] of lines) addLine(parts, name, line.format(moment), draw);
      return Object.assign(parts, textsAt(moment, isCoarse), gaugeAt(gauge, moment, isCoarse));
    },
  };
}

/** The set that can write the time lines. */
export function figuresFor(own: FigureSet, time: Patterns): FigureSet {
  return Object.values(time).every(isNumeric) ? own : letteredSet(own);
}

type Line = Pick<Strftime, 'format'>;
type Lines = readonly (readonly [name: string, line: Line])[];

function compiledLines(patterns: Patterns, names: TimeNames | undefined): Lines {
  return Object.entries(patterns).map(([name, pattern]) => [name, compileStrftime(pattern, 'format', names)]);
}

/** The time until an instant: days, if any, and a time of day, at least zero; rounded up, so that it is zero only at the end. */
function remaining(untilMs: number, pattern: string, suffix = ''): Line {
  const timeOfDay = compileStrftime(pattern, 'format');
  return {
    format({ epochMs }) {
      const seconds = Math.max(0, Math.ceil((untilMs - epochMs) / 1000));
      const days = Math.floor(seconds / SECONDS_PER_DAY);
      const rest = timeOfDay.format(new Moment(seconds * 1000, 0, ''));
      return `${days === 0 ? '' : `${days}d `}${rest}${suffix}`;
    },
  };
}

/** Texts that are constant for a minute, and thus formatted once per minute; if coarse, including the instant. */
function textsOf(
  patterns: Patterns,
  draw: LineWriter | undefined,
  options: ClockOptions,
): (moment: Moment, isCoarse: boolean) => LiveParts {
  const lines = compiledLines(patterns, options.names);
  const said = saidLine(options);
  let written = '';
  let texts: LiveParts = {};
  return (moment, isCoarse) => {
    const { dayNumber, hour, minute, offsetSeconds, abbreviation } = moment;
    const now = `${dayNumber} ${hour} ${minute} ${offsetSeconds} ${abbreviation}`;
    if (now !== written) {
      texts = { said: said.format(moment), 'said@datetime': instantOf(moment) };
      addLine(texts, 'offset', '', draw);
      // With the typographic minus sign.
      for (const [name, line] of lines)
        addLine(texts, name, line.format(moment).replace(SIGN, '\u2212'), draw);
      written = now;
    }
    return isCoarse ? texts : { ...texts, 'said@datetime': instantOf(moment) };
  };
}

function saidLine({ hour12, names, countdown_unix_ms: untilMs }: ClockOptions): Line {
  if (untilMs !== undefined) return remaining(untilMs, '%H:%M', ' left');
  return compileStrftime(hour12 ? SAID.replace('%H:%M', '%-I:%M %p') : SAID, 'format', names);
}

/** The minus sign of an offset. */
const SIGN = /-(?=\d\d:\d\d)/;
const INSTANT = compileStrftime('%Y-%m-%dT%H:%M:%S%:z', 'format');

/** An instant in HTML's format, which allows only offsets of whole minutes. */
function instantOf(moment: Moment): string {
  return moment.offsetSeconds % 60 === 0 ? INSTANT.format(moment) : new Date(moment.epochMs).toISOString();
}

/** Adds a line of text to the parts of a face, drawn by `draw` or set in type. */
function addLine(parts: LiveParts, name: string, text: string, draw: LineWriter | undefined): void {
  if (draw === undefined) {
    parts[name] = text;
    parts[`${name}@data-fit`] = fitOf(text);
    return;
  }
  const { viewBox, lit, tail, unlit, type = '', length = 0 } = draw(text);
  parts[`${name}@viewBox`] = viewBox;
  for (const [kind, path] of Object.entries({ lit, tail, unlit })) parts[`${name}-${kind}@d`] = path;
  parts[`${name}-type`] = type;
  parts[`${name}-type@textLength`] = String(length);
}

/** The step by which a line of type or flaps must shrink to fit: 0 for a time of day, larger for longer ones. */
function fitOf(text: string): string {
  const limits = [10, 12, 15, 19, 48, 110];
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

/** The dots of full tens are a separate path, so that the path that changes every second is short. */
function dotsAt(second: number): LiveParts {
  const tens = second - (second % 10);
  return { 'dots@d': dotsAround(0, tens), 'dots-tail@d': dotsAround(tens, second + 1) };
}

function percent(share: number): string {
  return `${tenths(share * 100)}%`;
}

/** Tenths of a degree are as fine as a dial can show. */
function rotation(degrees: number): string {
  return `rotate(${tenths(degrees)})`;
}

/**
 * The second hand of a railway station clock completes its round in 58.5 seconds and waits at the top for the minute
 * signal (H. Hilfiker's clock of the Swiss Federal Railways, 1955).
 */
export const STATION_ROUND_MS = 58_500;

/** The hands at a moment, in degrees clockwise from twelve o'clock, below 360. */
export function handAnglesAt(moment: Moment, manner: HandManner) {
  const { hour, minute, second, millisecond } = moment;
  const [ofHour, ofMinute] = [(hour % 12) * 30 + minute / 2, minute * 6];
  if (manner === 'station') {
    const round = Math.min((second * 1000 + millisecond) / STATION_ROUND_MS, 1);
    return { hour: ofHour, minute: ofMinute, second: (round * 360) % 360 };
  }
  const ofSecond = second * 6 + (manner === 'sweep' ? millisecond * 0.006 : 0);
  return { hour: ofHour + second / 120, minute: ofMinute + second / 10, second: ofSecond };
}

type LabelSpots = Pick<AnalogDefinition, 'spots' | 'tail'>;

/** Half the size of a label with a name in one or several rows, and its required clearance, in units of the dial. */
const LABEL_RIGHT = 24;
const ROW = { down: 9, clearance: 5 };
const ROWS = { down: 14, clearance: 3 };
/** How much lower a label in rows begins, so that its middle is at its spot. */
const ROWS_SHIFT = 4;
/** The distance at which hands are past every label. */
const HAND_END = 66;

/** The first spot for the label that is clear of hands in this minute, or else the one farthest from them. */
export function labelSpotAt({ hour, minute }: Moment, { spots, tail }: LabelSpots, isInRows = false): Spot {
  const label = isInRows ? ROWS : ROW;
  // The minute hand moves during the minute.
  const angles = [(hour % 12) * 30 + minute / 2, minute * 6, minute * 6 + 6];
  const clearances = spots.map(spot =>
    Math.min(...angles.map(angle => clearanceOf(spot, angle, tail, label.down))),
  );
  const clear = clearances.findIndex(clearance => clearance >= label.clearance);
  const [right, down] = spots[clear === -1 ? clearances.indexOf(Math.max(...clearances)) : clear]!;
  return [right, isInRows ? down + ROWS_SHIFT : down];
}

/** The distance of a hand from the box of a label, negative if it covers part of it. */
function clearanceOf([x, y]: Spot, degrees: number, tail: number, labelDown: number): number {
  const radians = (degrees / 180) * Math.PI;
  let clearance = Number.POSITIVE_INFINITY;
  for (let at = -tail; at <= HAND_END; at += 4) {
    const beside = Math.abs(Math.sin(radians) * at - x) - LABEL_RIGHT;
    const above = Math.abs(Math.cos(radians) * at + y) - labelDown;
    clearance = Math.min(clearance, Math.max(beside, above));
  }
  return clearance;
}

const SECTOR_RADIUS = 57;

/** The elapsed part of the current quarter hour, as a sector of the dial that ends at the minute hand. */
function sectorAt(minuteDegrees: number): string {
  const point = (degrees: number) => {
    const radians = (degrees / 180) * Math.PI;
    return `${tenths(Math.sin(radians) * SECTOR_RADIUS)} ${tenths(-Math.cos(radians) * SECTOR_RADIUS)}`;
  };
  const from = minuteDegrees - (minuteDegrees % 90);
  return `M0 0L${point(from)}A${SECTOR_RADIUS} ${SECTOR_RADIUS} 0 0 1 ${point(minuteDegrees)}z`;
}
