import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCommands, runCommandLine } from '../../src/cli/command_line.ts';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { outputOf, printing } from '../support/printing.ts';
import { newFolder } from '../support/process.ts';

const COMMANDS = await allCommands();

/** At most 60 lines of 100 columns. */
function expectScreenful(lines: readonly string[]): void {
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(lines.filter(line => line.length > 100 || line !== line.trimEnd())).toEqual([]);
}

test('the overview fits a screen and lists every command and topic', async () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { exitCode, lines } = await outputOf(args);
    expect(exitCode).toBe(0);
    expectScreenful(lines);
    for (const { name, summary } of [...COMMANDS, ...TOPICS]) {
      expect(lines.some(line => line.startsWith(`  ${name} `) && line.endsWith(summary))).toBe(true);
    }
  }
});

describe('the topics of help', () => {
  test('have unique names and summaries', () => {
    const names = [...COMMANDS, ...TOPICS].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, summary } of TOPICS) expect({ name, summary }).not.toContainValue('');
    const files = [...new Bun.Glob('*.md').scanSync(`${import.meta.dir}/../../src/cli/topics`)];
    expect(TOPICS.map(({ name }) => `${name}.md`).sort()).toEqual(files.sort());
  });

  test.each(TOPICS.map(topic => [topic.name, topic] as const))(
    '%s is printed as written, in 80 columns',
    async (name, { text }) => {
      const { exitCode, lines } = await outputOf(['help', name]);
      expect({ exitCode, text: lines.join('\n') }).toEqual({ exitCode: 0, text });
      expect(lines.filter(line => [...line].length > 80 || line !== line.trimEnd())).toEqual([]);
      const mentioned = [...text.matchAll(/meridian help ([a-z-]+)/g)].map(([, topic]) => topic!);
      expect(mentioned.filter(topic => !TOPICS.some(({ name }) => name === topic))).toEqual([]);
    },
  );

  test('explain every flag of serve, in the listed topic', () => {
    const index = TOPICS.find(({ name }) => name === 'settings')!.text;
    for (const flag of Object.keys(SERVE_FLAGS)) {
      const [, topic] = new RegExp(`^    .*--${flag} .*?(?:meridian help ([a-z-]+)|here)$`, 'm').exec(index)!;
      const { text } = TOPICS.find(({ name }) => name === (topic ?? 'settings'))!;
      expect(text).toContain(`--${flag}`);
    }
  });

  test('get a suggestion if misspelt', async () => {
    for (const { name } of TOPICS) {
      expect(await outputOf(['help', `${name}x`])).toEqual({
        exitCode: 2,
        lines: [`meridian: Unknown topic '${name}x'; did you mean '${name}'?`],
      });
    }
    const { lines } = await outputOf(['help', 'qqqqqqqq']);
    expect(lines).toEqual(["meridian: Unknown topic 'qqqqqqqq'; 'meridian help' lists the topics"]);
  });
});

describe.each(COMMANDS.map(command => [command.name, command] as const))(
  '%s',
  (name, { flags, synopsis }) => {
    test('its help fits a screen and lists each flag once', async () => {
      const { exitCode, lines } = await outputOf([name, '--help']);
      expect(exitCode).toBe(0);
      expectScreenful(lines);
      expect(lines.join(' ')).toStartWith(`Usage: meridian ${name} ${synopsis}`.trimEnd());
      const listed = lines.map(line => /^ {2}--([a-z-]+)/.exec(line)?.[1]).filter(Boolean);
      expect(listed.sort()).toEqual(Object.keys(flags).sort());
      expect(await outputOf(['help', name])).toEqual({ exitCode: 0, lines });
    });

    test('an unknown flag is one line that suggests the nearest one, exit 2', async () => {
      for (const flag of Object.keys(flags)) {
        const misspelt = `${flag.slice(0, -1)}${flag.slice(-1).repeat(2)}`;
        expect(await outputOf([name, `--${misspelt}=secret`])).toEqual({
          exitCode: 2,
          lines: [`meridian: Unknown flag '--${misspelt}'; did you mean '--${flag}'?`],
        });
      }
    });
  },
);

test('an unknown command suggests the nearest one', async () => {
  for (const { name } of COMMANDS) {
    expect(await outputOf([`${name}x`])).toEqual({
      exitCode: 2,
      lines: [`meridian: Unknown command '${name}x'; did you mean '${name}'?`],
    });
  }
});

test('the version arguments of other programs are rejected with a suggestion', async () => {
  for (const argument of ['version', '-V', '-v']) {
    expect(await outputOf([argument])).toEqual({
      exitCode: 2,
      lines: [`meridian: Unknown argument '${argument}'; did you mean '--version'?`],
    });
  }
});

const FIXTURE = join(import.meta.dirname, '../fixtures/mmdb/test-data/GeoLite2-City-Test.mmdb');
const TYPE = 'GeoLite2-City';
const HOSTILE_TYPE = '\u001b]0;o\u0007\nfine!\r';
const CONTROLS = /[^\P{Cc}\n]/u;

/** A database with another type, of the same length, in its metadata. */
function hostileDatabase(): string {
  const bytes = readFileSync(FIXTURE);
  bytes.write(HOSTILE_TYPE, bytes.lastIndexOf(TYPE), 'latin1');
  const path = join(newFolder(), 'hostile.mmdb');
  writeFileSync(path, bytes);
  return path;
}

test('control characters in a database do not reach the terminal', async () => {
  expect(HOSTILE_TYPE).toHaveLength(TYPE.length);
  const { lines } = await outputOf(['doctor', '--ip-db', hostileDatabase()]);
  const line = lines.find(text => text.startsWith('ip '));
  expect(line).toContain(String.raw`\u001b]0;o\u0007\u000afine!\u000d of `);
  expect(lines.join('\n')).not.toMatch(CONTROLS);
});

test('control characters in an argument do not reach the terminal', async () => {
  const { lines } = await outputOf(['doctor', '--ip-db', '/nowhere/\u001b[2J\u009b']);
  expect(lines.join('\n')).toContain(String.raw`/nowhere/\u001b[2J\u009b`);
  expect(lines.join('\n')).not.toMatch(CONTROLS);
});

test('a response is escaped on a terminal and unchanged in a file', async () => {
  const path = `/v1/time/current?tz=${encodeURIComponent('\u009b2J')}`;
  for (const isTerminal of [true, false]) {
    const { context, printed } = printing();
    await runCommandLine(['get', path], { ...context, isTerminal: () => isTerminal });
    expect(printed.join('')).toContain(isTerminal ? String.raw`'\u009b2J'` : `'\u009b2J'`);
    expect(JSON.parse(printed.join('')).error.message).toContain('\u009b2J');
  }
});
