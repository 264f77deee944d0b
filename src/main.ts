import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import { runCommandLine } from './cli/command_line.ts';
import { actAsOwner } from './server/directory_owner.ts';

process.exit(
  await runCommandLine(process.argv.slice(2), {
    environment: process.env,
    readConfig: path => readFileSync(path, 'utf8'),
    // Unlike console.log, this reports a full disk.
    print: text => writeFileSync(1, `${text}\n`),
    write: text => Bun.write(Bun.stdout, text),
    isTerminal,
    actAsOwner,
  }),
);

function isTerminal(descriptor: number): boolean {
  try {
    // Checked first, since loading `node:tty` takes 2 ms, and `process.stdout` 10 ms.
    const isDevice = fstatSync(descriptor).isCharacterDevice();
    return isDevice && process.getBuiltinModule('node:tty').isatty(descriptor);
  } catch {
    return false; // it is closed
  }
}
