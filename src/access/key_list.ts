import { isMistyped, MAX_KEY_LENGTH, MIN_KEY_LENGTH, ROLES, type Role } from './key_format.ts';

/** A key from a list, as opposed to the token store. */
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
    const words = line.trim().replace(/(^|\s)#.*/, '');
    const [key, ...properties] = words.trimEnd().split(/\s+/);
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
  if (key.length < MIN_KEY_LENGTH || key.length > MAX_KEY_LENGTH || !USABLE.test(key)) {
    throw new Error(
      `${place}: a key is ${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH} visible ASCII characters without a comma`,
    );
  }
  if (isMistyped(key)) throw new Error(`${place}: the key was mistyped: its checksum does not match`);
  return key;
}
