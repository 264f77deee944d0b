import type { ClockConfig } from '../clock_config.ts';
import { type Face, openFace } from './open_face.ts';
import type { TimeSource } from './time_source.ts';

const SECOND_MS = 1000;
/** Clocks due this soon are shown at once, so that those whose seconds differ slightly share a tick. */
export const TOGETHER_MS = 8;

/**
 * How much a clock animates: fully; once per second, for visitors who prefer reduced motion; or, among many clocks, also
 * painted in the cheapest way.
 */
export type Pace = 'lively' | 'calm' | 'crowded';

export class LiveClock {
  readonly host: Element;
  readonly source: TimeSource;
  readonly #face: Face;
  /** When to show it next, by the stopwatch. */
  dueMs = 0;
  /** Whether it is near the screen. */
  isInSight = true;

  constructor(host: Element, config: ClockConfig, source: TimeSource) {
    this.host = host;
    this.source = source;
    this.#face = openFace(host, config);
  }

  show(readMs: number, pace: Pace): void {
    const isCalm = pace !== 'lively';
    const beatMs = isCalm ? SECOND_MS : Math.min(this.#face.beatMs, SECOND_MS);
    const nowMs = this.source.epochMsAt(readMs);
    // Just before a beat, shows the beat.
    const aheadMs = untilBeat(nowMs, beatMs);
    const isEarly = aheadMs <= TOGETHER_MS;
    const shownMs = Math.round(isEarly ? nowMs + aheadMs : nowMs);
    this.dueMs = readMs + aheadMs + (isEarly ? beatMs : 0);
    this.#mark(pace);
    const moment = this.source.momentAt(isCalm ? shownMs - mod(shownMs, SECOND_MS) : shownMs);
    this.#face.show(moment, pace === 'crowded');
  }

  /** Sets the attributes of the host that the stylesheet uses. */
  #mark(pace: Pace): void {
    this.#set('data-unsynchronised', !this.source.isSynchronised);
    this.#set('data-calm', pace !== 'lively');
    this.#set('data-crowded', pace === 'crowded');
  }

  #set(attribute: string, isSet: boolean): void {
    if (this.host.hasAttribute(attribute) !== isSet) this.host.toggleAttribute(attribute, isSet);
  }
}

/** Milliseconds until the next of the beats that each second is divided into. */
function untilBeat(nowMs: number, beatMs: number): number {
  return beatMs - (mod(nowMs, SECOND_MS) % beatMs);
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
