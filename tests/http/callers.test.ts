import { expect, test } from 'bun:test';
import { loggedClient } from '../../src/http/access_log.ts';
import { originFormOf, pathnameOf } from '../../src/http/exchange.ts';
import { isLoopback, parseAddress } from '../../src/places/ip_address.ts';

const address = (text: string) => parseAddress(text, 'ip');

test('this machine is 127.0.0.0/8 and ::1, and no unknown address', () => {
  const local = ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'];
  expect(local.filter(text => isLoopback(address(text)))).toEqual(local);
  expect(['128.0.0.1', '::2', '10.0.0.1'].filter(text => isLoopback(address(text)))).toEqual([]);
  expect(isLoopback(undefined)).toBe(false);
});

test("the log has none, the network or all of a client's address", () => {
  expect(loggedClient(address('203.0.113.77'), 'network')).toBe('203.0.113.0/24');
  expect(loggedClient(address('2001:db8:1:2::3'), 'network')).toBe('2001:db8:1::/48');
  expect(loggedClient(address('2001:db8:1:2::3'), 'full')).toBe('2001:db8:1:2::3');
  expect(loggedClient(address('203.0.113.77'), 'none')).toBeNull();
  expect(loggedClient(undefined, 'full')).toBeNull();
});

test('the path of a URL follows its host; a target that is not a URL is its own path', () => {
  expect(originFormOf('http://[::1/v1/time?a=/b')).toBe('/v1/time?a=/b');
  expect(pathnameOf('https://api/v1/time?a=/b')).toBe('/v1/time');
  expect(originFormOf('example.com:443')).toBe('example.com:443');
});
