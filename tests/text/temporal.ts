/** The parts of the runtime's `Temporal` used as a reference timestamp parser; TypeScript 5.9 has no types for it. */
interface Temporal {
  readonly Instant: { from(text: string): { readonly epochMilliseconds: number } };
  readonly PlainDateTime: {
    from(text: string): { toZonedDateTime(zone: string): { readonly epochMilliseconds: number } };
  };
}

const { Temporal } = globalThis as unknown as { Temporal: Temporal };

/** Milliseconds since the epoch of a timestamp with an offset, floored; null if `Temporal` rejects it. */
export function temporalInstant(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}

/** The local time of a timestamp as if it were UTC, in milliseconds, floored; null if `Temporal` rejects it. */
export function temporalLocal(text: string): number | null {
  try {
    return Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').epochMilliseconds;
  } catch {
    return null;
  }
}
