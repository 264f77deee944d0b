import { MAX_KEY_LENGTH } from './key_digest.ts';
import { isMistyped } from './key_format.ts';

/** A key given at the start, beside those of the token store. */
export interface FixedKey {
  readonly key: string;
  readonly plan: string;
  /** What the key is called in errors, such as where it stands and by which name: never the key itself. */
  readonly name: string;
}

/** What header values and comma-separated lists can carry: visible ASCII without comma. */
const USABLE = /^[!-+\--~]+$/;

/**
 * The keys of a list: one a line, with its plan and its name after it where wanted. Empty lines and `#` lines are skipped.
 *
 *     mrd_…            # plan `default`, named after its line
 *     s3cr3t-of-ours   pro   mobile app
 *
 * `source` names the list in errors, which never show a key.
 */
export function readKeyList(text: string, source: string): FixedKey[] {
  const keys: FixedKey[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const [key, plan, ...name] = line
      .replace(/(^|\s)#.*/, '')
      .trim()
      .split(/\s+/);
    if (!key) continue;
    const place = `${source}, line ${index + 1}`;
    const called = name.length === 0 ? place : `${place} (${name.join(' ')})`;
    keys.push({ key: usableKey(key, place), plan: plan ?? 'default', name: called });
  }
  return keys;
}

/** A key as given, or an Error that says what is wrong with it without showing it. `place` is where it stands. */
export function usableKey(key: string, place: string): string {
  if (key.length > MAX_KEY_LENGTH || !USABLE.test(key)) {
    throw new Error(`${place}: a key is 1 to ${MAX_KEY_LENGTH} visible ASCII characters without a comma`);
  }
  if (isMistyped(key)) throw new Error(`${place}: the key was mistyped: its checksum does not match`);
  return key;
}
