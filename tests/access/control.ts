import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccessControl, type AccessEdges, type ControlSettings } from '../../src/access/access_control.ts';
import type { AccessLists } from '../../src/access/access_files.ts';
import type { AccessDecision } from '../../src/access/authorise.ts';
import { KEY_RANDOM_BYTES, keyDigest, makeKey, type Role } from '../../src/access/key_format.ts';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { type Plan, UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { openSharedAccess } from '../../src/access/redis/redis_key_store.ts';
import type { SharedStore } from '../../src/access/redis/redis_store.ts';
import { SqliteStore } from '../../src/access/sqlite_store.ts';
import { newFolder } from '../support/process.ts';

/** 2026-11-21T02:00:00Z, the current time in most tests. */
export const NOW_MS = Date.UTC(2026, 10, 21, 2);

const ALONE = { index: 0, count: 1 };

/** What a test may choose of an {@link AccessControl}. */
export interface Choices extends Partial<ControlSettings> {
  readonly plans?: readonly Plan[];
  readonly keys?: AccessLists['keys'];
  readonly marketplaceKeys?: AccessLists['marketplaceKeys'];
  readonly shared?: SharedStore;
  readonly edges?: Partial<AccessEdges>;
}

/** A copy of a removed key, of a server that has read Redis before. */
const REMOVED =
  '{"gone": "1 {\\"id\\":\\"gone\\",\\"name\\":\\"\\",\\"plan\\":\\"\\",\\"role\\":\\"client\\",\\"createdMs\\":1,\\"isMoved\\":true}"}';

/** An access control on a folder's key store, and its log, with quota warnings separate. */
export function control(folder: string, choices: Choices = {}) {
  const { plans = [], keys = [], marketplaceKeys = [], shared = null, edges, ...settings } = choices;
  const [log, warnings]: [string[], string[]] = [[], []];
  const byName = new Map([UNLIMITED_PLAN, ...plans].map(plan => [plan.name, plan]));
  const worker = settings.worker ?? ALONE;
  if (shared !== null) writeFileSync(join(folder, 'redis-keys.json'), REMOVED);
  const stored = new KeyStoreFile(join(folder, 'access.sqlite'), shared === null ? worker : ALONE);
  const access = new AccessControl(
    { open: false, hasKeySource: false, marketplace: null, worker, failMode: 'open', ...settings },
    {
      lists: { read: () => ({ plans: byName, keys, marketplaceKeys }), stamp: () => '' },
      stored,
      shared: shared && { ...openSharedAccess('', folder, false), store: shared },
      report: (severity, message) => {
        if (severity === 'warn') warnings.push(message);
        else log.push(`${severity}: ${message}`);
      },
      onKeyed() {},
      pause: async () => {},
      ...edges,
    },
  );
  return { access, log, warnings };
}

/** A folder's key store, opened as by `meridian stored`. */
export function openStore(folder: string): SqliteStore {
  return new SqliteStore(join(folder, 'access.sqlite'), { create: true, durable: true, busyMs: 1000 });
}

/** A key store in a temporary folder, and access controls on it. Disposing of it stops and closes all. */
export function keyFolder() {
  const resources = new AsyncDisposableStack();
  const path = newFolder();
  let store: SqliteStore | undefined;
  return {
    path,
    /** The key store, created at the first use. */
    get store() {
      store ??= resources.adopt(openStore(path), opened => opened.close());
      return store;
    },
    control(choices: Choices = {}) {
      const made = control(path, choices);
      resources.defer(() => made.access.stop());
      return made;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Adds a key with a plan; the same number gives the same key. */
export function addKey(store: SqliteStore, number = 1, plan = 'default', role: Role = 'client') {
  const { id, key } = makeKey(new Uint8Array(KEY_RANDOM_BYTES).fill(number));
  store.add({ id, name: `key ${number}`, role, plan, digest: keyDigest(key), createdMs: NOW_MS });
  return { id, key };
}

/** Authorises a request with headers; the error's code, or `granted`. */
export async function outcome(
  access: AccessControl,
  headers: Record<string, string>,
  nowMs = NOW_MS,
): Promise<string> {
  return (await access.authorise(new Headers(headers), nowMs)).error?.code ?? 'granted';
}

/** Authorises requests with a key and counts the outcomes. */
export async function authoriseOften(access: AccessControl, key: string, times: number, nowMs = NOW_MS) {
  const decisions: AccessDecision[] = [];
  const counts: Record<string, number> = {};
  for (let i = 0; i < times; i++) {
    const decision = await access.authorise(new Headers({ 'X-API-Key': key }), nowMs);
    const name = decision.error?.code ?? 'granted';
    counts[name] = (counts[name] ?? 0) + 1;
    decisions.push(decision);
  }
  return { counts, decisions };
}

/** Waits for the work that a tick has started. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
}

/** Ticks at some milliseconds after {@link NOW_MS}, and waits for the work of each. */
export async function ticks(access: AccessControl, ...timesMs: readonly number[]): Promise<void> {
  for (const ms of timesMs) {
    access.tick(NOW_MS + ms);
    await quiet();
  }
}
