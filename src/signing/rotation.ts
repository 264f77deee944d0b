import { activeKey, type SigningKey } from './signing_key.ts';

/**
 * Whether the schedule asks for a new key. A key dated in the future (the clock was set back) is not due until
 * the clock has caught up with it: a machine that starts in 1970 must not rotate at every start.
 */
export function isRotationDue(
  keys: readonly SigningKey[],
  everyMs: number | undefined,
  epochMs: number,
): boolean {
  const active = activeKey(keys);
  return everyMs !== undefined && active !== undefined && epochMs - active.createdMs >= everyMs;
}

/** Whether the store needs a change: it cannot sign, or a crash left a retired key its private half. */
export function needsRepair(keys: readonly SigningKey[]): boolean {
  return keys.filter(key => key.privateKey !== undefined).length !== 1;
}
