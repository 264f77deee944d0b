/** The parts of the runtime's `Temporal` that serve as a second reader of timestamps; TypeScript 5.9 has no types of it. */
interface Temporal {
  readonly Instant: { from(text: string): { readonly epochMilliseconds: number } };
  readonly PlainDateTime: {
    from(text: string): { toZonedDateTime(zone: string): { readonly epochMilliseconds: number } };
  };
}

const { Temporal } = globalThis as unknown as { Temporal: Temporal };

/** Milliseconds since the epoch of a timestamp with an offset, floored; null if `Temporal` refuses it. */
export function temporalInstant(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}

/** The wall clock of a timestamp as if it were UTC, in milliseconds, floored; null if `Temporal` refuses it. */
export function temporalLocal(text: string): number | null {
  try {
    return Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').epochMilliseconds;
  } catch {
    return null;
  }
}
