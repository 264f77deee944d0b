import { readFileSync } from 'node:fs';
import { quoted, resultsOf, throwAll } from '../common/errors.ts';
import { stampOfFiles } from '../common/state_files.ts';
import { parseLines, readingFile, TextFault } from '../common/text_faults.ts';
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
 * `source` is the file in the names of keys. Throws like {@link parseLines}; errors never show a key.
 */
export function readKeyList(text: string, source: string): ListedKey[] {
  return parseLines(text, 'key', (line, lineNumber) => {
    const [key, ...properties] = line.replace(/(^|\s)#.*/, '').matchAll(/\S+/g);
    if (key === undefined) return null;
    const isRole = properties[0]?.[0].startsWith(ROLE_PREFIX);
    const role = isRole ? { role: readRole(properties.shift()!, lineNumber) } : {};
    const [plan, ...words] = properties;
    const place = `${source}:${lineNumber}:${(plan ?? key).index + 1}`;
    const name = words.length === 0 ? place : `${place} (${words.join(' ')})`;
    return [key[0], { key: usableKey(key[0]), ...role, plan: plan?.[0] ?? UNLIMITED_PLAN.name, name }];
  });
}

function readRole({ 0: text, index }: RegExpExecArray, lineNumber: number): Role {
  const role = ROLES.find(known => text === ROLE_PREFIX + known);
  if (role !== undefined) return role;
  throw new TextFault(lineNumber, index + 1, `${quoted(text)} is not one of ${ROLES.join(', ')}`);
}

/** Returns a valid key unchanged; otherwise throws an Error that does not show it. */
export function usableKey(key: string): string {
  if (key.length < MIN_KEY_LENGTH || key.length > MAX_KEY_LENGTH || !USABLE.test(key))
    throw new Error(
      `a key is ${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH} visible ASCII characters without a comma`,
    );
  if (isMistyped(key)) throw new Error('the key was mistyped: its checksum does not match');
  return key;
}

/** Sources of keys and plans other than the key store; null if not configured. */
export interface AccessPaths {
  /** From the command line, the environment or the configuration file; they are valid. */
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

/** Reads keys and plans. Throws an Error, or an `AggregateError` of all, with file, line and column but no key. */
export function readAccessFiles(paths: AccessPaths): AccessLists {
  const [plans, listed, marketplaceKeys] = resultsOf(
    () => (paths.plans === null ? [] : new PlanFile(paths.plans).plans()),
    () => resultsOf(...paths.keyFiles.map(path => () => readKeyFile(path))).flat(),
    () => (paths.marketplaceKeys === null ? [] : readKeyFile(paths.marketplaceKeys)),
  );
  const withDefault = new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN], ...plans]);
  const given = paths.keys.map((key, at) => ({ key, plan: UNLIMITED_PLAN.name, name: `API key ${at + 1}` }));
  return { plans: withDefault, keys: [...given, ...listed], marketplaceKeys };
}

/** Rejects keys whose plan is not defined, all of them. Not used if the server also has plans from another source. */
export function requirePlans({ plans, keys, marketplaceKeys }: AccessLists): void {
  const defined = [...plans.keys()].map(known => `'${known}'`).join(', ');
  const faults = [...keys, ...marketplaceKeys]
    .filter(({ plan }) => !plans.has(plan))
    .map(({ plan, name }) => new Error(`${name}: there is no plan ${quoted(plan)}; defined are ${defined}`));
  if (faults.length > 0) throwAll(faults);
}

/** Changes when one of the files does. */
export function stampOfAccessFiles({ keyFiles, plans, marketplaceKeys }: AccessPaths): string {
  return stampOfFiles([...keyFiles, plans, marketplaceKeys].filter(path => path !== null));
}

/** The keys in a key file. Throws like {@link readAccessFiles}. */
export function readKeyFile(path: string): ListedKey[] {
  return readingFile(path, `Cannot read API keys in '${path}'`, () =>
    readKeyList(readFileSync(path, 'utf8'), path),
  );
}
