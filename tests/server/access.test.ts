import { expect, test } from 'bun:test';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { requireKeysIfExposed } from '../../src/server/access.ts';
import { isLoopback, parseListenAddress } from '../../src/server/listen_address.ts';

test.each([
  ...['127.0.0.1:1', '127.8.9.1:1', 'localhost:1', 'LOCALHOST:1', '[::1]:1', '[::ffff:127.0.0.1]:1'],
  'unix:/run/x',
])('%p is reachable only from this machine', text => expect(isLoopback(parseListenAddress(text))).toBe(true));

test.each([
  ...['0.0.0.0:1', '[::]:1', '10.0.0.1:1', '128.0.0.1:1', 'example.com:1', '127.example.com:1'],
  '[::ffff:10.0.0.1]:1',
])('%p may be reachable from other machines', text =>
  expect(isLoopback(parseListenAddress(text))).toBe(false),
);

test('an exposed server requires API keys or --open', () => {
  const rejection = (
    isOpen: boolean,
    open: boolean,
    listen: readonly string[],
    proxies: readonly string[],
  ) => {
    const settings = {
      open,
      listen: listen.map(parseListenAddress),
      'trust-proxy': parseTrustedProxies(proxies),
    };
    try {
      requireKeysIfExposed(settings, { isOpen });
      return false;
    } catch (error) {
      return String(error);
    }
  };
  expect(rejection(true, false, ['127.0.0.1:1', 'unix:/run/x'], [])).toBe(false);
  expect(rejection(true, false, ['127.0.0.1:1', '0.0.0.0:80'], [])).toContain(
    'Cannot listen on 0.0.0.0:80 without API keys',
  );
  expect(rejection(true, false, ['127.0.0.1:1'], ['127.0.0.1'])).toContain(
    'Cannot serve behind --trust-proxy without API keys',
  );
  for (const listen of [['0.0.0.0:80'], ['unix:/run/x']]) {
    expect(rejection(true, true, listen, ['unix'])).toBe(false);
    expect(rejection(false, false, listen, ['unix'])).toBe(false);
  }
});
