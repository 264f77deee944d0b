import { readFileSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemReason } from '../../common/errors.ts';
import { fileExists } from '../../common/state_files.ts';
import type { SharedValues } from './shared_value.ts';
import type { ValueCopy, ValueKind } from './value_cache.ts';

/** How many values are written before yielding. */
const BATCH = 250;

/** A copy of the values in a private JSON file, by name. Only one of several workers writes it. */
export function valueCopyFile(
  { what, parse }: ValueKind<unknown>,
  path: string,
  isWriter: boolean,
): ValueCopy {
  return {
    read() {
      try {
        if (!fileExists(path)) return new Map();
        const values = new Map(
          Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>),
        );
        parse(values);
        return values;
      } catch (error) {
        throw new Error(`Cannot read the copy of the ${what} in Redis, '${path}': ${systemReason(error)}`);
      }
    },
    async write(values) {
      if (!isWriter) return;
      const temporary = `${path}.${process.pid}.tmp`;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rm(temporary, { force: true });
        await using file = await open(temporary, 'wx', 0o600);
        for (const text of jsonObject(values)) await file.write(text);
        await rename(temporary, path);
      } catch (error) {
        throw new Error(`Cannot write '${path}': ${systemReason(error)}`);
      }
    },
  };
}

/** The JSON of an object with text members, in pieces between which other work continues. */
function* jsonObject(members: SharedValues): Generator<string> {
  let piece = '{';
  let count = 0;
  for (const [name, value] of members) {
    piece += `${count === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    if (++count % BATCH !== 0) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}}`;
}
