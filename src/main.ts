import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import { runCommandLine } from './cli/command_line.ts';
import { actAsOwner } from './server/system_calls.ts';

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
  // Checked first, since loading `node:tty` takes 2 ms, and `process.stdout` 10 ms.
  return isCharacterDevice(descriptor) && process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** Terminals are character devices, as is `/dev/null`; a closed descriptor is not. */
function isCharacterDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}
