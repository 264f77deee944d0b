/** Keys, plans and usage as JSON lines, by which `meridian tokens export` and `import` move them between stores. */
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { messageOf } from '../common/errors.ts';
import { ROLES } from './key_format.ts';
import type { RemovedKey, StoreContents, StoredKey } from './key_store.ts';
import { definedPlans, type PlanEntry, planEntry } from './plan.ts';
import { type MonthlyCount, monthAt, monthLabelled } from './usage.ts';

export interface Transfer extends StoreContents {
  readonly plans: ReadonlyMap<string, PlanEntry>;
}

interface Reading {
  readonly plans: Map<string, PlanEntry>;
  readonly keys: StoredKey[];
  readonly removed: RemovedKey[];
  readonly usage: MonthlyCount[];
}

interface LineKind {
  readonly schema: TSchema;
  /** Adds a valid line; returns what must not occur twice. */
  readonly read: (line: never, into: Reading) => string;
}

function kind<Members extends TProperties>(
  members: Members,
  read: (line: Static<ReturnType<typeof Type.Object<Members>>>, into: Reading) => string,
): LineKind {
  const schema = Type.Object({ type: Type.String(), ...members }, { additionalProperties: false });
  return { schema, read };
}

const Id = Type.String({ pattern: '^[\\w-]{1,64}$' });
const EpochMs = Type.Integer();
const EpochMsOrNull = Type.Union([EpochMs, Type.Null()]);
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });

const KINDS: Readonly<Record<string, LineKind>> = {
  plan: kind({ name: Type.String(), limits: Type.Object({}) }, ({ name, limits }, { plans }) => {
    plans.set(name, planEntry(definedPlans({ plans: { [name]: limits } }).get(name)!));
    return `plan '${name}'`;
  }),
  key: kind(
    {
      id: Id,
      name: Type.String(),
      role: Type.Union(ROLES.map(role => Type.Literal(role))),
      plan: Type.String(),
      sha256: Digest,
      created_ms: EpochMs,
      last_used_ms: EpochMsOrNull,
      suspended_ms: EpochMsOrNull,
      expires_ms: EpochMsOrNull,
      former: Type.Union([Type.Object({ sha256: Digest, expires_ms: EpochMs }), Type.Null()]),
    },
    ({ id, name, role, plan, former, ...line }, { keys }) => {
      keys.push({
        id,
        name,
        role,
        plan,
        digest: Uint8Array.fromHex(line.sha256),
        createdMs: line.created_ms,
        lastUsedMs: line.last_used_ms,
        suspendedMs: line.suspended_ms,
        expiresMs: line.expires_ms,
        former: former && { digest: Uint8Array.fromHex(former.sha256), expiresMs: former.expires_ms },
      });
      return `key '${id}'`;
    },
  ),
  removed: kind(
    { id: Id, name: Type.String(), plan: Type.String(), removed_ms: EpochMs },
    ({ id, name, plan, removed_ms: removedMs }, { removed }) => {
      removed.push({ id, name, plan, removedMs });
      return `key '${id}'`;
    },
  ),
  usage: kind(
    { id: Id, month: Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }), requests: Type.Integer() },
    ({ id, month, requests }, { usage }) => {
      usage.push({ id, month: monthLabelled(month), count: requests });
      return `usage of '${id}' in ${month}`;
    },
  ),
};

/** The lines, in which secrets are only digests. */
export function* writeTransfer({ plans, keys, removed, usage }: Transfer): Generator<string> {
  for (const [name, limits] of plans) yield JSON.stringify({ type: 'plan', name, limits });
  for (const { id, name, role, plan, former, ...key } of keys)
    yield JSON.stringify({
      ...{ type: 'key', id, name, role, plan },
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
  const reading: Reading = { plans: new Map(), keys: [], removed: [], usage: [] };
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

function readLine(text: string, into: Reading): string {
  const line: unknown = JSON.parse(text);
  const type = line instanceof Object && 'type' in line ? String(line.type) : '';
  const found = Object.hasOwn(KINDS, type) ? KINDS[type]! : undefined;
  if (found === undefined) throw new Error(`its 'type' is not one of ${Object.keys(KINDS).join(', ')}`);
  const wrong = Value.Errors(found.schema, line).First();
  if (wrong) throw new Error(`'${wrong.path.slice(1)}': ${wrong.message.toLowerCase()}`);
  return found.read(line as never, into);
}
