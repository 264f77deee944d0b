import { readFileSync, writeFileSync } from 'node:fs';
import { runCommandLine } from './cli/command_line.ts';
import { isTerminal } from './cli/terminal.ts';

process.exit(
  await runCommandLine(process.argv.slice(2), {
    environment: process.env,
    readConfig: path => readFileSync(path, 'utf8'),
    // Not console.log, which does not say when a disk is full.
    print: text => writeFileSync(1, `${text}\n`),
    write: text => Bun.write(Bun.stdout, text),
    isTerminal: () => isTerminal(1),
  }),
);
