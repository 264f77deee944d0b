import { describe, expect, test } from 'bun:test';
import { callerAddress, forwardedFor, parseTrustedProxies } from '../../src/places/caller_address.ts';
import { fc } from '../support/property.ts';

const NOBODY = parseTrustedProxies([]);
const PROXIES = parseTrustedProxies(['10.0.0.0/8', 'fd00::/8']);
const caller = (
  peer: string,
  headers: Record<string, string>,
  proxies = PROXIES,
  header = 'X-Forwarded-For',
) => callerAddress(peer, new Headers(headers), { proxies, header })?.text;

describe('which headers are trusted', () => {
  const claim = { 'X-Forwarded-For': '8.8.8.8', Forwarded: 'for=8.8.8.8', 'CF-Connecting-IP': '8.8.8.8' };

  test('a header from an untrusted peer is ignored', () => {
    for (const name of ['X-Forwarded-For', 'Forwarded', 'CF-Connecting-IP']) {
      expect(caller('9.9.9.9', claim, PROXIES, name)).toBe('9.9.9.9');
      expect(caller('10.0.0.1', claim, NOBODY, name)).toBe('10.0.0.1');
    }
  });

  test('a trusted proxy names the client in the configured header, and in no other', () => {
    expect(caller('10.0.0.1', claim)).toBe('8.8.8.8');
    expect(caller('10.0.0.1', { Forwarded: 'for=8.8.8.8', 'X-Real-IP': '8.8.8.8' })).toBe('10.0.0.1');
    expect(caller('10.0.0.1', { 'X-Forwarded-For': '8.8.8.8' }, PROXIES, 'CF-Connecting-IP')).toBe(
      '10.0.0.1',
    );
    expect(caller('10.0.0.1', { 'cf-connecting-ip': '2001:db8::1' }, PROXIES, 'CF-Connecting-IP')).toBe(
      '2001:db8::1',
    );
  });

  test('a proxy is matched in every spelling of its address', () => {
    expect(caller('::ffff:10.0.0.1', claim)).toBe('8.8.8.8');
    expect(caller('FD00:0::1', claim)).toBe('8.8.8.8');
  });

  test('a unix socket counts as loopback, and is trusted as `unix` or as loopback', () => {
    expect(caller('unix', claim, NOBODY)).toBe('127.0.0.1');
    expect(caller('unix', claim, PROXIES)).toBe('127.0.0.1');
    expect(caller('unix', claim, parseTrustedProxies(['unix']))).toBe('8.8.8.8');
    expect(caller('unix', claim, parseTrustedProxies(['127.0.0.0/8']))).toBe('8.8.8.8');
    expect(caller('127.0.0.1', claim, parseTrustedProxies(['unix']))).toBe('127.0.0.1');
  });

  test('a closed connection has no client address, whatever it sent', () => {
    expect(caller('', claim, parseTrustedProxies(['unix', '0.0.0.0/0', '::/0']))).toBeUndefined();
  });

  test('a peer address with an interface is reduced to the address', () => {
    expect(caller('fe80::1%eth0', claim)).toBe('fe80::1');
  });

  test('the error for an entry that is not a network names it', () => {
    expect(() => parseTrustedProxies(['10.0.0.0/8', 'proxy.example'])).toThrow("'proxy.example'");
  });
});

describe('X-Forwarded-For is read from the right', () => {
  const behind = (list: string) => caller('10.0.0.1', { 'X-Forwarded-For': list });

  test('past trusted proxies to the first untrusted address', () => {
    expect(behind('1.1.1.1, 8.8.8.8')).toBe('8.8.8.8');
    expect(behind('1.1.1.1, 8.8.8.8, 10.9.9.9,fd00::7')).toBe('8.8.8.8');
    expect(behind('10.3.3.3, 10.2.2.2')).toBe('10.3.3.3');
  });

  test('entries prepended by a client have no effect', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.:,"=; for[]\\abc') }), invented => {
        expect(behind(`${invented}, 8.8.8.8, 10.0.0.2`)).toBe('8.8.8.8');
      }),
    );
  });

  test('an entry that is not an address makes the client unknown', () => {
    expect(behind('8.8.8.8, unknown')).toBeUndefined();
    expect(behind('8.8.8.8, _hidden, 10.0.0.2')).toBeUndefined();
    expect(behind('8.8.8.8, 010.0.0.2')).toBeUndefined();
  });

  test('ports, brackets and empty entries are accepted', () => {
    expect(behind('8.8.8.8:4711')).toBe('8.8.8.8');
    expect(behind('[2001:db8::1]:4711')).toBe('2001:db8::1');
    expect(behind('[2001:db8::1]')).toBe('2001:db8::1');
    expect(behind('8.8.8.8, , ,')).toBe('8.8.8.8');
    expect(behind('')).toBe('10.0.0.1');
  });

  test('several header lines form one list', () => {
    const headers = new Headers([
      ['X-Forwarded-For', '1.1.1.1'],
      ['X-Forwarded-For', '8.8.8.8'],
    ]);
    expect(callerAddress('10.0.0.1', headers, { proxies: PROXIES, header: 'x-forwarded-for' })?.text).toBe(
      '8.8.8.8',
    );
  });
});

describe('Forwarded (RFC 7239)', () => {
  test('the examples of the RFC', () => {
    expect(forwardedFor('for="_gazonk"')).toEqual(['_gazonk']);
    expect(forwardedFor('For="[2001:db8:cafe::17]:4711"')).toEqual(['[2001:db8:cafe::17]:4711']);
    expect(forwardedFor('for=192.0.2.60;proto=http;by=203.0.113.43')).toEqual(['192.0.2.60']);
    expect(forwardedFor('for=192.0.2.43, for=198.51.100.17')).toEqual(['192.0.2.43', '198.51.100.17']);
    expect(forwardedFor('for=192.0.2.43, for="[2001:db8:cafe::17]"')).toEqual([
      '192.0.2.43',
      '[2001:db8:cafe::17]',
    ]);
    expect(forwardedFor('for=192.0.2.43,for="[2001:db8:cafe::17]",for=unknown')).toEqual([
      '192.0.2.43',
      '[2001:db8:cafe::17]',
      'unknown',
    ]);
  });

  test('separators within quotes are text, and escapes are removed', () => {
    expect(forwardedFor('for="a,b;c\\"d";by=x, by="," ;for=e')).toEqual(['a,b;c"d', 'e']);
  });

  test('an element without for is an unknown hop', () => {
    expect(forwardedFor('for=1.1.1.1, by=2.2.2.2')).toEqual(['1.1.1.1', '']);
    expect(
      caller('10.0.0.1', { Forwarded: 'for=1.1.1.1, by=10.0.0.2' }, PROXIES, 'Forwarded'),
    ).toBeUndefined();
  });

  test('a header that violates the grammar is rejected as a whole', () => {
    for (const header of [
      'for="8.8.8.8',
      'for="8.8.8.8, for="10.0.0.2"',
      'for=8.8.8.8 9.9.9.9',
      'for=a;for=b',
      'for',
      'for=',
      '=a',
      'for=a"b"',
    ]) {
      expect(forwardedFor(header)).toBeUndefined();
      expect(caller('10.0.0.1', { Forwarded: header }, PROXIES, 'forwarded')).toBeUndefined();
    }
  });

  test('entries prepended by a client never become the client', () => {
    const invented = fc.string({ unit: fc.constantFrom(...'fFor=1.";,\\ []:'), maxLength: 30 });
    const appended = fc.constantFrom(
      'for=8.8.8.8',
      'for="[2001:db8::8]:80"',
      'for="8.8.8.8:1";by=_x;proto=https',
    );
    fc.assert(
      fc.property(invented, appended, (front, back) => {
        const found = caller('10.0.0.1', { Forwarded: `${front}, ${back}` }, PROXIES, 'Forwarded');
        expect([undefined, '8.8.8.8', '2001:db8::8']).toContain(found);
      }),
      { numRuns: 3_000 },
    );
  });

  test('a header of any length is parsed quickly', () => {
    for (const text of ['for="', 'for=a,', ' ', 'for="\\', 'a', ';', ',']) {
      const hops = forwardedFor(text.repeat(20_000));
      expect(hops?.every(hop => hop === 'a') ?? true).toBe(true);
    }
  });
});
