import { type Static, Type } from '@sinclair/typebox';
import type { Json } from '../common/json.ts';
import { TimeWriter } from '../common/time_writer.ts';
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

const InstantPayload = Type.Object(
  { unix_ms: Type.Integer({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' }) },
  { $id: 'SpecifiedInstant', description: 'The instant of a specifier.' },
);

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

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Names and lengths of the units of `human`, largest first. */
const WORDS = [
  { seconds: 86_400, one: ascii(' day'), several: ascii(' days') },
  { seconds: 3600, one: ascii(' hour'), several: ascii(' hours') },
  { seconds: 60, one: ascii(' minute'), several: ascii(' minutes') },
  { seconds: 1, one: ascii(' second'), several: ascii(' seconds') },
];
const SEPARATOR = ascii(', ');
const NOTHING = ascii('0 seconds');

const SECONDS = ascii('{"seconds":');
const MINUTES = ascii(',"minutes":');
const HOURS = ascii(',"hours":');
const DAYS = ascii(',"days":');
const FORWARD = ascii(',"direction":"forward');
const BACKWARD = ascii(',"direction":"backward');
const SAME = ascii(',"direction":"same');
const HUMAN_AFTER_TEXT = ascii('","human":"');
const HUMAN_AFTER_NUMBER = ascii(',"human":"');
const FROM = ascii('","from":{"unix_ms":');
const TO = ascii('},"to":{"unix_ms":');
const END = ascii('}}');
const AGO = ascii(' ago","direction":"');
const PASSED = ascii('passed"}');
const LEFT = ascii(' left","direction":"');
const STILL_LEFT = ascii('left"}');

/** More than the length of the longest span. */
const CAPACITY = 400;

/**
 * Writes spans as `JSON.stringify` would. Under load, that and composing the text took twice as long, about a tenth of a request
 * for a span that is not cached.
 */
class SpanWriter extends TimeWriter {
  diff(fromMs: number, toMs: number): string {
    const seconds = wholeSecondsBetween(fromMs, toMs);
    let at = this.#units(seconds);
    at = this.literal(at, fromMs === toMs ? SAME : fromMs < toMs ? FORWARD : BACKWARD);
    at = this.#human(this.literal(at, HUMAN_AFTER_TEXT), seconds);
    at = this.integer(this.literal(at, FROM), fromMs);
    at = this.integer(this.literal(at, TO), toMs);
    return this.text(0, this.literal(at, END));
  }

  elapsed(referenceMs: number, comparisonMs: number): string {
    const seconds = wholeSecondsBetween(referenceMs, comparisonMs);
    const isLeft = referenceMs > comparisonMs;
    let at = this.literal(this.#units(seconds), HUMAN_AFTER_NUMBER);
    at = this.literal(this.#human(at, seconds), isLeft ? LEFT : AGO);
    return this.text(0, this.literal(at, isLeft ? STILL_LEFT : PASSED));
  }

  #units(seconds: number): number {
    let at = this.integer(this.literal(0, SECONDS), seconds);
    at = this.integer(this.literal(at, MINUTES), Math.floor(seconds / 60));
    at = this.integer(this.literal(at, HOURS), Math.floor(seconds / 3600));
    return this.integer(this.literal(at, DAYS), Math.floor(seconds / 86_400));
  }

  #human(start: number, seconds: number): number {
    let at = start;
    let rest = seconds;
    for (const unit of WORDS) {
      const count = Math.floor(rest / unit.seconds);
      if (count === 0) continue;
      rest -= count * unit.seconds;
      if (at > start) at = this.literal(at, SEPARATOR);
      at = this.literal(this.integer(at, count), count === 1 ? unit.one : unit.several);
    }
    return at === start ? this.literal(at, NOTHING) : at;
  }
}

const WRITER = new SpanWriter(CAPACITY);
