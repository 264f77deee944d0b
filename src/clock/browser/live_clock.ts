import { once } from '../../common/once.ts';
import type { Pace } from './hand_motion.ts';
import type { Face } from './open_face.ts';
import type { TimeSource } from './time_source.ts';

const SECOND_MS = 1000;
/** Clocks due within this time are shown together, so that clocks whose seconds differ slightly share a tick. */
export const TOGETHER_MS = 8;

export class LiveClock {
  readonly host: Element;
  readonly source: TimeSource;
  readonly #face: () => Face;
  /** When to show it next, by the stopwatch. */
  dueMs = 0;
  /** Whether it is near the viewport, as last reported by the browser. */
  isInSight = false;

  /** `open` finds the parts of the face when it is first shown, since on a page with many clocks most are initially off-screen. */
  constructor(host: Element, open: () => Face, source: TimeSource) {
    this.host = host;
    this.source = source;
    this.#face = once(open);
  }

  show(readMs: number, pace: Pace): void {
    const nowMs = this.source.epochMsAt(readMs);
    const aheadMs = SECOND_MS - mod(nowMs, SECOND_MS);
    // Just before a second, show that second.
    const isEarly = aheadMs <= TOGETHER_MS;
    const shownMs = Math.round(isEarly ? nowMs + aheadMs : nowMs);
    this.dueMs = readMs + aheadMs + (isEarly ? SECOND_MS : 0);
    this.#mark(pace);
    this.#face().show(
      this.source.momentAt(pace === 'lively' ? shownMs : shownMs - mod(shownMs, SECOND_MS)),
      pace,
    );
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

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
