import { expect, test } from 'bun:test';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import { readCommandLine } from '../../src/cli/settings.ts';

function publicUrl(text: string): string {
  const sources = { environment: {}, readConfig: () => '' };
  return readCommandLine(SERVE_FLAGS, [`--public-url=${text}`], sources).settings['public-url'];
}

test('a public URL is an origin with at most a path, and loses trailing slashes', () => {
  for (const [given, read] of [
    ['https://time.example.com', 'https://time.example.com'],
    ['https://time.example.com/', 'https://time.example.com'],
    ['http://time.example.com:8080/a/b//', 'http://time.example.com:8080/a/b'],
    ['HTTPS://Time.Example.com:443', 'https://time.example.com'],
  ] as const) {
    expect(publicUrl(given)).toBe(read);
  }
});

test('anything else is rejected', () => {
  for (const given of [
    '',
    'time.example.com',
    '//time.example.com',
    '/api',
    'ftp://time.example.com',
    'javascript:alert(1)',
    'https://user@time.example.com',
    'https://user:secret@time.example.com',
    'https://time.example.com/?x=1',
    'https://time.example.com/?',
    'https://time.example.com/#x',
    'https://time.example.com/a b',
  ]) {
    expect(() => publicUrl(given)).toThrow('--public-url');
  }
});

test('without one, paths begin at the root', () => {
  const { settings } = readCommandLine(SERVE_FLAGS, [], { environment: {}, readConfig: () => '' });
  expect(settings['public-url']).toBe('');
});

test('characters that could end an HTML attribute are escaped in a path', () => {
  expect(publicUrl('https://time.example.com/"><script>')).not.toMatch(/["<>]/);
});
