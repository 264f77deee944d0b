import { readFileSync } from 'node:fs';
import { oneLine, resultsOf } from '../common/errors.ts';
import { stampOfFiles } from '../common/state_files.ts';
import { isMistyped, MAX_KEY_LENGTH, MIN_KEY_LENGTH, ROLES, type Role } from './key_format.ts';
import { type Plan, UNLIMITED_PLAN } from './plan.ts';
import { PlanFile } from './plan_file.ts';

/** A key from a list, as opposed to the key store. */
export interface ListedKey {
  readonly key: string;
  /** `client` by default. */
  readonly role?: Role;
  readonly plan: string;
  /** How errors refer to it, such as by file, line and name, but never by the key itself. */
  readonly name: string;
}

const ROLE_PREFIX = 'role=';

/** Valid in header values and comma-separated lists: visible ASCII without comma. */
const USABLE = /^[!-+\--~]+$/;

/**
 * Parses a list of keys: one per line, optionally followed by its role, plan and name. `#` starts a comment.
 *
 *     mrd_…                               # plan `default`
 *     yK9fT2wQ7bLx4m0V   pro              mobile app
 *     h3Nz8rPc1sJd6u5E   role=operator
 *
 * `source` is the name of the list in errors, which never show a key.
 */
export function readKeyList(text: string, source: string): ListedKey[] {
  const keys: ListedKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // White space includes a byte order mark.
    const [key, ...properties] = line
      .trim()
      .replace(/(^|\s)#.*/, '')
      .trimEnd()
      .split(/\s+/);
    if (!key) continue;
    const place = `${source}, line ${index + 1}`;
    const role = properties[0]?.startsWith(ROLE_PREFIX) ? { role: readRole(properties.shift()!, place) } : {};
    const [plan = 'default', ...name] = properties;
    const called = name.length === 0 ? place : `${place} (${name.join(' ')})`;
    keys.push({ key: usableKey(key, place), ...role, plan, name: called });
  }
  return keys;
}

function readRole(text: string, place: string): Role {
  const role = ROLES.find(known => text === ROLE_PREFIX + known);
  if (role === undefined) throw new Error(`${place}: '${text}' is not one of ${ROLES.join(', ')}`);
  return role;
}

/** Returns a valid key unchanged; otherwise throws an Error that names its `place` but does not show it. */
export function usableKey(key: string, place: string): string {
  if (key.length < MIN_KEY_LENGTH || key.length > MAX_KEY_LENGTH || !USABLE.test(key))
    throw new Error(
      `${place}: a key is ${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH} visible ASCII characters without a comma`,
    );
  if (isMistyped(key)) throw new Error(`${place}: the key was mistyped: its checksum does not match`);
  return key;
}

/** Sources of keys and plans other than the key store; null if not configured. */
export interface AccessPaths {
  /** From the command line or the environment. */
  readonly keys: readonly string[];
  readonly keyFiles: readonly string[];
  readonly plans: string | null;
  readonly marketplaceKeys: string | null;
}

/** The contents of {@link AccessPaths}; the plan `default` is always among the plans. */
export interface AccessLists {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly keys: readonly ListedKey[];
  readonly marketplaceKeys: readonly ListedKey[];
}

/** Reads keys and plans. Throws a one-line Error that names the file, the line or entry, and the expected form, but no key. */
export function readAccessFiles(paths: AccessPaths): AccessLists {
  const [plans, given, listed, marketplaceKeys] = resultsOf(
    () => (paths.plans === null ? [] : new PlanFile(paths.plans).plans()),
    () => paths.keys.map((key, index) => givenKey(key, `API key ${index + 1}`)),
    () => resultsOf(...paths.keyFiles.map(path => () => readKeyFile(path))).flat(),
    () => (paths.marketplaceKeys === null ? [] : readKeyFile(paths.marketplaceKeys)),
  );
  const withDefault = new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN], ...plans]);
  return { plans: withDefault, keys: [...given, ...listed], marketplaceKeys };
}

/** Rejects keys whose plan is not defined. Not used if the server also has plans from another source. */
export function requirePlans({ plans, keys, marketplaceKeys }: AccessLists): void {
  for (const { plan, name } of [...keys, ...marketplaceKeys]) {
    if (plans.has(plan)) continue;
    const defined = [...plans.keys()].map(known => `'${known}'`).join(', ');
    throw new Error(`${name}: there is no plan '${plan}'; defined are ${defined}`);
  }
}

/** Changes when one of the files does. */
export function stampOfAccessFiles({ keyFiles, plans, marketplaceKeys }: AccessPaths): string {
  return stampOfFiles([...keyFiles, plans, marketplaceKeys].filter(path => path !== null));
}

function givenKey(key: string, name: string): ListedKey {
  return { key: usableKey(key, name), plan: UNLIMITED_PLAN.name, name };
}

/** The keys in a key file. Throws like {@link readAccessFiles}. */
export function readKeyFile(path: string): ListedKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read API keys: ${oneLine(error)}`);
  }
  return readKeyList(text, path);
}
