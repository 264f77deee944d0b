import { renameSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import type { LogSink } from '../log.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Appends a log to a file. Before the file would exceed `maxBytes` it is renamed to `NAME.1`, replacing the previous one.
 * Data that cannot be written is discarded.
 */
export function rotatingFile(path: string, maxBytes = MAX_BYTES): LogSink {
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return async bytes => {
    try {
      if (size > 0 && size + bytes.length > maxBytes) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      await appendFile(path, bytes);
      size += bytes.length;
    } catch {
      // A full disk, or a program that has the file open, does not stop the server.
    }
  };
}
