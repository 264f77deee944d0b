import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemReason } from '../../common/message_of.ts';
import { fileExists } from '../../common/stat_files.ts';
import { readSharedKey } from './shared_key.ts';
import type { KeyCopy } from './shared_keys.ts';

/** A copy of the keys in a JSON file: values by id, digests but no keys. Only one of several workers writes it. */
export function keyCopyFile(path: string, isWriter: boolean): KeyCopy {
  return {
    read() {
      try {
        if (!fileExists(path)) return new Map();
        const values = new Map(
          Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>),
        );
        for (const value of values.values()) readSharedKey(value);
        return values;
      } catch (error) {
        throw new Error(`Cannot read the copy of the API keys in Redis, '${path}': ${systemReason(error)}`);
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
