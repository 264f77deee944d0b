import { renameSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Replaces a file by a named pipe. Resolves once a process reads it; that process then waits until `resume` writes the contents.
 * Later readers wait for ever, unless the file is replaced again before.
 */
export async function pausedFile(path: string) {
  const pipe = `${path}.pipe`;
  Bun.spawnSync(['mkfifo', pipe]);
  renameSync(pipe, path);
  const writer = await open(path, 'w');
  return {
    async resume(contents: string): Promise<void> {
      await writer.write(contents);
      await writer.close();
    },
  };
}
