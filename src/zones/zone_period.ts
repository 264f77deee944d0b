/** A stretch of time in which a zone's clocks keep one offset, one abbreviation and one DST flag. */
export interface ZonePeriod {
  /** The first second of the period; `-Infinity` where none precedes it. */
  readonly fromEpochSeconds: number;
  /** The first second after the period; `Infinity` where none follows. */
  readonly untilEpochSeconds: number;
  /** Seconds to add to UTC for local time; east is positive. */
  readonly offsetSeconds: number;
  /** `EDT`, `LMT`, `+03` */
  readonly abbreviation: string;
  /** Whether the clocks are ahead of what they are in the other part of the year. */
  readonly isDst: boolean;
}

/** An instant at which a zone's offset or DST flag changes. */
export interface ZoneTransition {
  /** The first second of `after`. */
  readonly epochSeconds: number;
  readonly before: ZonePeriod;
  readonly after: ZonePeriod;
}
