import type { LocalTimeType } from '../../src/zones/posix_tz.ts';

/** The contents of a TZif file. */
export interface TzifPlan {
  /** 1 to 4 */
  readonly version: number;
  readonly transitions?: readonly (readonly [epochSeconds: number, type: number])[];
  readonly types?: readonly LocalTimeType[];
  /** Between the two newlines; from version 2 on. */
  readonly footer?: string;
  readonly leapSeconds?: number;
}

const UTC: LocalTimeType = { offsetSeconds: 0, abbreviation: 'UTC', isDst: false };

/** Writes a TZif file (RFC 9636), with the same data in both blocks from version 2 on. */
export function tzifFile(plan: TzifPlan): Uint8Array {
  const first = block(plan, 4);
  if (plan.version === 1) return first;
  return Buffer.concat([first, block(plan, 8), Buffer.from(`\n${plan.footer ?? ''}\n`)]);
}

function block(
  { version, transitions = [], types = [UTC], leapSeconds = 0 }: TzifPlan,
  timeBytes: 4 | 8,
): Buffer {
  const header = Buffer.alloc(44);
  header.write('TZif');
  if (version > 1) header.write(`${version}`, 4);
  const names = types.map(({ abbreviation }) => `${abbreviation}\0`);
  const counts = [0, 0, leapSeconds, transitions.length, types.length, names.join('').length];
  for (const [index, count] of counts.entries()) header.writeUInt32BE(count, 20 + 4 * index);
  const times = Buffer.alloc(transitions.length * timeBytes);
  for (const [index, [epochSeconds]] of transitions.entries()) {
    if (timeBytes === 8) times.writeBigInt64BE(BigInt(epochSeconds), 8 * index);
    else times.writeInt32BE(epochSeconds, 4 * index);
  }
  const indexes = Buffer.from(transitions.map(([, type]) => type));
  const typeBytes = Buffer.alloc(types.length * 6);
  for (const [index, { offsetSeconds, isDst }] of types.entries()) {
    typeBytes.writeInt32BE(offsetSeconds, 6 * index);
    typeBytes[6 * index + 4] = isDst ? 1 : 0;
    typeBytes[6 * index + 5] = names.slice(0, index).join('').length;
  }
  const leaps = Buffer.alloc(leapSeconds * (timeBytes + 4));
  return Buffer.concat([header, times, indexes, typeBytes, Buffer.from(names.join('')), leaps]);
}
