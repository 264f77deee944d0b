import { isMistyped, MAX_KEY_LENGTH } from './key_format.ts';

/** A key from a list, as opposed to the token store. */
export interface ListedKey {
  readonly key: string;
  readonly plan: string;
  /** How errors refer to it, such as file, line and name: never the key itself. */
  readonly name: string;
}

/** Valid in header values and comma-separated lists: visible ASCII without comma. */
const USABLE = /^[!-+\--~]+$/;

/**
 * Parses a list of keys: one per line, optionally followed by its plan and name. `#` starts a comment.
 *
 *     mrd_…            # plan `default`
 *     s3cr3t-of-ours   pro   mobile app
 *
 * `source` is the name of the list in errors, which never show a key.
 */
export function readKeyList(text: string, source: string): ListedKey[] {
  const keys: ListedKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // White space includes a byte order mark.
    const words = line.trim().replace(/(^|\s)#.*/, '');
    const [key, plan = 'default', ...name] = words.trimEnd().split(/\s+/);
    if (!key) continue;
    const place = `${source}, line ${index + 1}`;
    const called = name.length === 0 ? place : `${place} (${name.join(' ')})`;
    keys.push({ key: usableKey(key, place), plan, name: called });
  }
  return keys;
}

/** Returns a valid key unchanged; throws an Error otherwise, which names its `place` and does not show it. */
export function usableKey(key: string, place: string): string {
  if (key.length > MAX_KEY_LENGTH || !USABLE.test(key)) {
    throw new Error(`${place}: a key is 1 to ${MAX_KEY_LENGTH} visible ASCII characters without a comma`);
  }
  if (isMistyped(key)) throw new Error(`${place}: the key was mistyped: its checksum does not match`);
  return key;
}
