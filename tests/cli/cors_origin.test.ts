import { expect, test } from 'bun:test';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import { readCommandLine } from '../../src/cli/settings.ts';

function corsOrigin(text: string): string {
  const sources = { environment: {}, readConfig: () => '' };
  return readCommandLine(SERVE_FLAGS, [`--cors-origin=${text}`], sources).settings['cors-origin'];
}

test('an origin is normalized to what browsers send', () => {
  for (const [given, read] of [
    ['*', '*'],
    ['null', 'null'],
    ['https://app.example.com', 'https://app.example.com'],
    ['https://app.example.com/', 'https://app.example.com'],
    ['HTTPS://App.Example.com:443', 'https://app.example.com'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['capacitor://localhost', 'capacitor://localhost'],
  ] as const) {
    expect(corsOrigin(given)).toBe(read);
  }
});

test('anything that browsers do not send as an origin is rejected', () => {
  for (const given of [
    '',
    'app.example.com',
    'https://app.example.com/path',
    'https://app.example.com?',
    'https://user@app.example.com',
    'https://a.example https://b.example',
    'https://a.example,https://b.example',
    'https://*.example.com',
    'https://a.example,b.example',
    'data:text/html,x',
    'capacitor://localhost/x',
    'é日',
    'https://a.example\nX-Evil: 1',
  ]) {
    expect(() => corsOrigin(given)).toThrow('--cors-origin');
  }
});
