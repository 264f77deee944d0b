/** Keys, plans and usage as JSON lines, by which `meridian tokens export` and `import` move them between stores. */
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { checked } from '../common/checked_json.ts';
import { messageOf } from '../common/errors.ts';
import { parseStrictJsonText } from '../common/json.ts';
import { KeyName } from './administration.ts';
import { KEY_ID } from './key_format.ts';
import type { RemovedKey, StoreContents, StoredKey } from './key_store.ts';
import { type PlanEntry, planEntry, planOf } from './plan.ts';
import { Digest, EpochMs, EpochMsOrNull, KeyRole } from './stored_json.ts';
import { MONTH, type MonthlyCount, monthAt, monthIndexOf } from './usage.ts';

export interface Transfer extends StoreContents {
  readonly plans: ReadonlyMap<string, PlanEntry>;
}

const Id = Type.String({ pattern: KEY_ID.source });

const LINES = {
  plan: lineSchema('plan', { name: Type.String(), limits: Type.Object({}) }),
  key: lineSchema('key', {
    id: Id,
    name: KeyName,
    role: KeyRole,
    plan: Type.String(),
    sha256: Digest,
    created_ms: EpochMs,
    last_used_ms: EpochMsOrNull,
    suspended_ms: EpochMsOrNull,
    expires_ms: EpochMsOrNull,
    former: Type.Union([Type.Object({ sha256: Digest, expires_ms: EpochMs }), Type.Null()]),
  }),
  removed: lineSchema('removed', { id: Id, name: KeyName, plan: Type.String(), removed_ms: EpochMs }),
  usage: lineSchema('usage', {
    id: Id,
    month: Type.String({ pattern: MONTH.source }),
    requests: Type.Integer(),
  }),
} as const;

type Line = Static<(typeof LINES)[keyof typeof LINES]>;

function lineSchema<Name extends string, Members extends TProperties>(type: Name, members: Members) {
  return Type.Object({ type: Type.Literal(type), ...members }, { additionalProperties: false });
}

/** The lines, in which secrets are only digests. */
export function* writeTransfer({ plans, keys, removed, usage }: Transfer): Generator<string> {
  for (const [name, limits] of plans) yield JSON.stringify({ type: 'plan', name, limits });
  for (const { id, name, role, plan, former, ...key } of keys)
    yield JSON.stringify({
      type: 'key',
      id,
      name,
      role,
      plan,
      sha256: key.digest.toHex(),
      created_ms: key.createdMs,
      last_used_ms: key.lastUsedMs,
      suspended_ms: key.suspendedMs,
      expires_ms: key.expiresMs,
      former: former && { sha256: former.digest.toHex(), expires_ms: former.expiresMs },
    });
  for (const { id, name, plan, removedMs } of removed)
    yield JSON.stringify({ type: 'removed', id, name, plan, removed_ms: removedMs });
  for (const { id, month, count } of usage)
    yield JSON.stringify({ type: 'usage', id, month: monthAt(month).label, requests: count });
}

/** Reads all lines. Throws an Error that names the first one that is damaged, of an unknown type or repeats another. */
export function readTransfer(text: string): Transfer {
  const reading = emptyTransfer();
  const seen = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const item = readLine(line, reading);
      if (seen.has(item)) throw new Error(`the ${item} occurs twice`);
      seen.add(item);
    } catch (error) {
      throw new Error(`line ${index + 1}: ${messageOf(error)}`);
    }
  }
  return reading;
}

function emptyTransfer() {
  const [keys, removed, usage]: [StoredKey[], RemovedKey[], MonthlyCount[]] = [[], [], []];
  return { plans: new Map<string, PlanEntry>(), keys, removed, usage };
}

/** Adds a line; returns what must not occur twice. */
function readLine(text: string, { plans, keys, removed, usage }: ReturnType<typeof emptyTransfer>): string {
  const line = checkedLine(parseStrictJsonText(text, { depth: 4 }));
  if (line.type === 'plan') {
    const { name, limits } = line;
    plans.set(name, planEntry(planOf(name, limits)));
    return `plan '${name}'`;
  }
  if (line.type === 'usage') {
    usage.push({ id: line.id, month: monthIndexOf(line.month), count: line.requests });
    return `usage of '${line.id}' in ${line.month}`;
  }
  const { id, name, plan } = line;
  if (line.type === 'removed') removed.push({ id, name, plan, removedMs: line.removed_ms });
  else
    keys.push({
      id,
      name,
      role: line.role,
      plan,
      digest: Uint8Array.fromHex(line.sha256),
      createdMs: line.created_ms,
      lastUsedMs: line.last_used_ms,
      suspendedMs: line.suspended_ms,
      expiresMs: line.expires_ms,
      former: line.former && {
        digest: Uint8Array.fromHex(line.former.sha256),
        expiresMs: line.former.expires_ms,
      },
    });
  return `key '${id}'`;
}

function checkedLine(line: unknown): Line {
  const type = line instanceof Object && 'type' in line ? String(line.type) : '';
  const schema = Object.hasOwn(LINES, type) ? LINES[type as keyof typeof LINES] : undefined;
  if (schema === undefined) throw new Error(`its 'type' is not one of ${Object.keys(LINES).join(', ')}`);
  return checked<(typeof LINES)[keyof typeof LINES]>(schema, line);
}
