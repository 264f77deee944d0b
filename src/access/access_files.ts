import { readFileSync } from 'node:fs';
import { messageOf } from '../common/message_of.ts';
import { stampOfFiles } from '../common/stamp_of_files.ts';
import { type FixedKey, readKeyList, usableKey } from './key_list.ts';
import { type Plan, readPlans, UNLIMITED_PLAN } from './plan.ts';

/** Where keys and plans are given besides the token store. Null: nowhere. */
export interface AccessPaths {
  /** Keys said on the command line or in the environment. */
  readonly keys: readonly string[];
  readonly keyFiles: readonly string[];
  readonly plans: string | null;
  readonly marketplaceKeys: string | null;
}

/** What those places hold. */
export interface AccessLists {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly keys: readonly FixedKey[];
  readonly marketplaceKeys: readonly FixedKey[];
}

/**
 * Reads keys and plans. Throws an Error of one line that names the file, the line or key in it and what is wanted there, and never
 * shows a key. A key whose plan is not defined is refused too.
 */
export function readAccessFiles(paths: AccessPaths): AccessLists {
  const plans = paths.plans === null ? DEFAULT_PLANS : readPlansFile(paths.plans);
  const said = paths.keys.map((key, index) => ({
    key: usableKey(key, `API key ${index + 1}`),
    plan: UNLIMITED_PLAN.name,
    name: `API key ${index + 1}`,
  }));
  const keys = [...said, ...paths.keyFiles.flatMap(readKeyFile)];
  const marketplaceKeys = paths.marketplaceKeys === null ? [] : readKeyFile(paths.marketplaceKeys);
  for (const { plan, name } of [...keys, ...marketplaceKeys]) {
    if (!plans.has(plan)) throw new Error(`${name}: there is no plan '${plan}'${known(plans)}`);
  }
  return { plans, keys, marketplaceKeys };
}

/** Changes when one of the files does. */
export function stampOfAccessFiles({ keyFiles, plans, marketplaceKeys }: AccessPaths): string {
  return stampOfFiles([...keyFiles, plans, marketplaceKeys].filter(path => path !== null));
}

const DEFAULT_PLANS: ReadonlyMap<string, Plan> = new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]);

function readPlansFile(path: string): ReadonlyMap<string, Plan> {
  try {
    return readPlans(Bun.TOML.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`Cannot read plans in ${path}: ${firstLine(error)}`);
  }
}

function readKeyFile(path: string): FixedKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read API keys: ${firstLine(error)}`);
  }
  return readKeyList(text, path);
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0]!;
}

function known(plans: ReadonlyMap<string, Plan>): string {
  return `; known are ${[...plans.keys()].map(name => `'${name}'`).join(', ')}`;
}
