import { readFileSync } from 'node:fs';
import { oneLine, resultsOf } from '../common/errors.ts';
import { parseToml } from '../common/settings_text.ts';
import { stampOfFiles } from '../common/state_files.ts';
import { type ListedKey, readKeyList, usableKey } from './key_list.ts';
import { type Plan, readPlans, UNLIMITED_PLAN } from './plan.ts';

/** Sources of keys and plans other than the token store; null if not configured. */
export interface AccessPaths {
  /** From the command line or the environment. */
  readonly keys: readonly string[];
  readonly keyFiles: readonly string[];
  readonly plans: string | null;
  readonly marketplaceKeys: string | null;
}

/** The contents of {@link AccessPaths}. */
export interface AccessLists {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly keys: readonly ListedKey[];
  readonly marketplaceKeys: readonly ListedKey[];
}

/**
 * Reads keys and plans. Throws a one-line Error that names the file, the line or entry, and the expected form, and never
 * shows a key.
 */
export function readAccessFiles(paths: AccessPaths): AccessLists {
  const [plans, given, listed, marketplaceKeys] = resultsOf(
    () => (paths.plans === null ? DEFAULT_PLANS : readPlansFile(paths.plans)),
    () => paths.keys.map(givenKey),
    () => resultsOf(...paths.keyFiles.map(path => () => readKeyFile(path))).flat(),
    () => (paths.marketplaceKeys === null ? [] : readKeyFile(paths.marketplaceKeys)),
  );
  return { plans, keys: [...given, ...listed], marketplaceKeys };
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

const DEFAULT_PLANS: ReadonlyMap<string, Plan> = new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]);

function givenKey(key: string, index: number): ListedKey {
  const name = `API key ${index + 1}`;
  return { key: usableKey(key, name), plan: UNLIMITED_PLAN.name, name };
}

function readPlansFile(path: string): ReadonlyMap<string, Plan> {
  try {
    return readPlans(parseToml(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`Cannot read plans in ${path}: ${oneLine(error)}`);
  }
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
