import type { ClockConfig } from '../clock_config.ts';
import { type Face, openFace } from './open_face.ts';
import type { TimeSource } from './time_source.ts';

const SECOND_MS = 1000;
/** What is due so soon is shown at once, so that clocks whose seconds differ a little share a tick. */
export const TOGETHER_MS = 8;

/**
 * How much a clock may do: sweep and turn; move on the second only, for those who want less motion; and, in a page where it
 * is one of many, be painted in the cheapest way as well.
 */
export type Pace = 'lively' | 'calm' | 'crowded';

/** A clock of the page that is kept going. */
export class LiveClock {
  readonly host: Element;
  readonly source: TimeSource;
  readonly #face: Face;
  /** When it has to show something else, by the stopwatch. */
  dueMs = 0;
  /** Whether anything of it is on the screen. */
  isInSight = true;

  constructor(host: Element, config: ClockConfig, source: TimeSource) {
    this.host = host;
    this.source = source;
    this.#face = openFace(host, config);
  }

  /** Shows the time. */
  show(readMs: number, pace: Pace): void {
    const isCalm = pace !== 'lively';
    const beatMs = isCalm ? SECOND_MS : Math.min(this.#face.beatMs, SECOND_MS);
    const nowMs = this.source.epochMsAt(readMs);
    // What is a little early is shown as it will be.
    const aheadMs = untilBeat(nowMs, beatMs);
    const isEarly = aheadMs <= TOGETHER_MS;
    const shownMs = Math.round(isEarly ? nowMs + aheadMs : nowMs);
    this.dueMs = readMs + aheadMs + (isEarly ? beatMs : 0);
    this.#mark(pace);
    const moment = this.source.momentAt(isCalm ? shownMs - mod(shownMs, SECOND_MS) : shownMs);
    this.#face.show(moment, pace === 'crowded');
  }

  /** Says on the host what holds of it, for the stylesheet. */
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
