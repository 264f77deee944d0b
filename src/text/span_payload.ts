import { type Static, Type } from '@sinclair/typebox';
import { SECONDS_PER_DAY } from '../common/civil.ts';
import { TimeWriter, utf8 } from '../common/iso_text.ts';
import { type Json, objectSchema } from '../common/json.ts';
import { wholeSecondsBetween } from './duration.ts';

/** A duration in each unit separately, never negative. */
const UNITS = {
  seconds: Type.Integer({ description: 'Whole seconds.' }),
  minutes: Type.Integer({ description: 'Whole minutes.' }),
  hours: Type.Integer({ description: 'Whole hours.' }),
  days: Type.Integer({ description: 'Whole days of 24 hours.' }),
};

/** A duration in words, in whole units from days down, omitting those that are zero: `1 day, 1 hour, 3 minutes`, `0 seconds`. */
const HUMAN = Type.String({ description: 'Human-readable; not meant to be parsed.' });

const InstantPayload = objectSchema('SpecifiedInstant', 'The instant of a specifier.', {
  unix_ms: Type.Integer({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' }),
});

/** The time from one instant to another. */
export const DiffSpan = Type.Object({
  ...UNITS,
  direction: Type.Union([Type.Literal('forward'), Type.Literal('backward'), Type.Literal('same')], {
    description: '`forward` when `to` is after `from`, `backward` when it is before, otherwise `same`.',
  }),
  human: HUMAN,
  from: InstantPayload,
  to: InstantPayload,
});
export type DiffSpan = Static<typeof DiffSpan>;

/** The time since a reference, or until it. */
export const ElapsedSpan = Type.Object({
  ...UNITS,
  human: HUMAN,
  direction: Type.Union([Type.Literal('passed'), Type.Literal('left')], {
    description: '`passed` when the reference is in the past, `left` when it is in the future.',
  }),
});
export type ElapsedSpan = Static<typeof ElapsedSpan>;

/** The time from one instant to another, both in milliseconds since 1970-01-01T00:00:00Z. */
export function diffSpanJson(fromMs: number, toMs: number): Json<DiffSpan> {
  return WRITER.diff(fromMs, toMs) as Json<DiffSpan>;
}

/** The time since a reference, or until it, at the instant that it is compared with. */
export function elapsedSpanJson(referenceMs: number, comparisonMs: number): Json<ElapsedSpan> {
  return WRITER.elapsed(referenceMs, comparisonMs) as Json<ElapsedSpan>;
}

/** The names of a unit in `human`: of one, and of several. */
const unit = (name: string) => [utf8(` ${name}`), utf8(` ${name}s`)] as const;

const DAY = unit('day');
const HOUR = unit('hour');
const MINUTE = unit('minute');
const SECOND = unit('second');
const SEPARATOR = utf8(', ');
const NOTHING = utf8('0 seconds');

const SECONDS = utf8('{"seconds":');
const MINUTES = utf8(',"minutes":');
const HOURS = utf8(',"hours":');
const DAYS = utf8(',"days":');
const FORWARD = utf8(',"direction":"forward');
const BACKWARD = utf8(',"direction":"backward');
const SAME = utf8(',"direction":"same');
const HUMAN_AFTER_TEXT = utf8('","human":"');
const HUMAN_AFTER_NUMBER = utf8(',"human":"');
const FROM = utf8('","from":{"unix_ms":');
const TO = utf8('},"to":{"unix_ms":');
const END = utf8('}}');
const AGO = utf8(' ago","direction":"');
const PASSED = utf8('passed"}');
const LEFT = utf8(' left","direction":"');
const STILL_LEFT = utf8('left"}');

/** More than the length of the longest span. */
const CAPACITY = 400;

/**
 * Writes spans as `JSON.stringify` would. Under load, that and composing the text took twice as long, about a tenth of a request
 * for a span that is not cached.
 */
class SpanWriter extends TimeWriter {
  diff(fromMs: number, toMs: number): string {
    const seconds = wholeSecondsBetween(fromMs, toMs);
    const days = Math.floor(seconds / SECONDS_PER_DAY);
    const secondOfDay = (seconds - days * SECONDS_PER_DAY) | 0;
    let at = this.#units(seconds, days, secondOfDay);
    at = this.literal(at, fromMs === toMs ? SAME : fromMs < toMs ? FORWARD : BACKWARD);
    at = this.#human(this.literal(at, HUMAN_AFTER_TEXT), days, secondOfDay);
    at = this.integer(this.literal(at, FROM), fromMs);
    at = this.integer(this.literal(at, TO), toMs);
    return this.text(0, this.literal(at, END));
  }

  elapsed(referenceMs: number, comparisonMs: number): string {
    const seconds = wholeSecondsBetween(referenceMs, comparisonMs);
    const days = Math.floor(seconds / SECONDS_PER_DAY);
    const secondOfDay = (seconds - days * SECONDS_PER_DAY) | 0;
    const isLeft = referenceMs > comparisonMs;
    let at = this.literal(this.#units(seconds, days, secondOfDay), HUMAN_AFTER_NUMBER);
    at = this.literal(this.#human(at, days, secondOfDay), isLeft ? LEFT : AGO);
    return this.text(0, this.literal(at, isLeft ? STILL_LEFT : PASSED));
  }

  /** A duration of some seconds, which are `days` and `secondOfDay`, in each unit. */
  #units(seconds: number, days: number, secondOfDay: number): number {
    let at = this.integer(this.literal(0, SECONDS), seconds);
    at = this.integer(this.literal(at, MINUTES), days * 1440 + ((secondOfDay / 60) | 0));
    at = this.integer(this.literal(at, HOURS), days * 24 + ((secondOfDay / 3600) | 0));
    return this.integer(this.literal(at, DAYS), days);
  }

  #human(start: number, days: number, secondOfDay: number): number {
    const minuteOfDay = (secondOfDay / 60) | 0;
    const hour = (minuteOfDay / 60) | 0;
    let at = this.#count(start, start, days, DAY);
    at = this.#count(at, start, hour, HOUR);
    at = this.#count(at, start, minuteOfDay - hour * 60, MINUTE);
    at = this.#count(at, start, secondOfDay - minuteOfDay * 60, SECOND);
    return at === start ? this.literal(at, NOTHING) : at;
  }

  /** A number of units, unless it is zero, after a separator, unless it comes first. */
  #count(at: number, start: number, count: number, [one, several]: ReturnType<typeof unit>): number {
    if (count === 0) return at;
    const countAt = at === start ? at : this.literal(at, SEPARATOR);
    return this.literal(this.integer(countAt, count), count === 1 ? one : several);
  }
}

const WRITER = new SpanWriter(CAPACITY);
