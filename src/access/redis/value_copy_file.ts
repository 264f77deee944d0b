import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemReason } from '../../common/message_of.ts';
import { fileExists } from '../../common/stat_files.ts';
import type { ValueCopy, ValueKind } from './value_cache.ts';

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
    write(values) {
      if (!isWriter) return;
      const temporary = `${path}.${process.pid}.tmp`;
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        rmSync(temporary, { force: true });
        writeFileSync(temporary, JSON.stringify(Object.fromEntries(values)), { flag: 'wx', mode: 0o600 });
        renameSync(temporary, path);
      } catch (error) {
        throw new Error(`Cannot write '${path}': ${systemReason(error)}`);
      }
    },
  };
}
