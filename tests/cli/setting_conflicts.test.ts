import { expect, test } from 'bun:test';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import { checkConflicts, conflictsOf, readCommandLine } from '../../src/cli/settings.ts';
import { UsageError } from '../../src/common/errors.ts';

function check(...args: string[]): void {
  const sources = { environment: {}, readConfig: () => '' };
  checkConflicts(readCommandLine(SERVE_FLAGS, args, sources).settings);
}

test('a duplicate address is rejected', () => {
  for (const address of ['127.0.0.1:8080', '[::1]:8080', 'unix:/run/a']) {
    expect(() => check('--listen', address, '--listen', address)).toThrow(
      new UsageError(`--listen ${address} is given twice`),
    );
    expect(() => check('--listen', address, '--admin-listen', address)).toThrow(
      new UsageError(`--admin-listen ${address} is already an address of --listen`),
    );
  }
  expect(() => check('--admin-listen', '127.0.0.1:8080')).toThrow('is already an address of --listen');
  check('--listen', '127.0.0.1:0', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0');
  check('--listen', '127.0.0.1:1', '--listen', '127.0.0.1:2', '--admin-listen', '127.0.0.1:3');
});

test('each flag of a pair requires the other', () => {
  for (const [one, other] of [
    ['--tls-cert', '--tls-key'],
    ['--marketplace-host', '--marketplace-keys'],
  ] as const) {
    for (const half of [one, other]) {
      expect(() => check(half, 'a')).toThrow(
        new UsageError(`${half} requires ${half === one ? other : one}`),
      );
    }
    check(one, 'a', other, 'b');
  }
});

test('a setting that has no effect without another one requires it', () => {
  expect(() => check('--client-ip-header', 'Forwarded')).toThrow('--client-ip-header requires --trust-proxy');
  check('--client-ip-header', 'Forwarded', '--trust-proxy', 'unix');
  check('--client-ip-header', 'x-forwarded-for');
  expect(() => check('--quota-fail', 'closed')).toThrow('--quota-fail closed requires --redis');
  check('--quota-fail', 'closed', '--redis', 'redis://a');
  check('--quota-fail', 'open');
  expect(() => check('--data-interval', '1h')).toThrow('--data-interval requires --data-url');
  check('--allow-older-data');
  expect(() => check('--address-rate', '5/s')).toThrow('--address-rate requires --open');
  expect(() => check('--open', '--address-burst', '5')).toThrow('--address-burst requires --address-rate');
  check('--open', '--address-rate', '5/s', '--address-burst', '50');
  expect(() => check('--marketplace-key-header', 'X-A')).toThrow(
    '--marketplace-key-header requires --marketplace-host',
  );
  expect(() => check('--log-client', 'full', '--access-log', 'off')).toThrow(
    '--log-client full has no effect with --access-log off',
  );
  const tls = ['--tls-cert', 'a', '--tls-key', 'b'];
  expect(() => check(...tls, '--listen', 'unix:/run/a')).toThrow('--tls-cert has no effect on unix sockets');
  check(...tls, '--listen', 'unix:/run/a', '--listen', '127.0.0.1:0');
});

test('an address burst must have at least one request per worker', () => {
  const rate = ['--open', '--address-rate', '0.5/s'];
  const workers = process.platform === 'linux' ? '3' : '1';
  const checkBurst = (...args: string[]) => check(...rate, '--workers', workers, ...args);
  checkBurst('--address-burst', '3');
  if (workers === '1') return;
  expect(() => checkBurst()).toThrow(
    new UsageError('--address-burst 1 cannot be divided among 3 workers: use at least 3'),
  );
});

test('all conflicts are found', () => {
  const args = ['--quota-fail', 'closed', '--listen', 'unix:/a', '--listen', 'unix:/a', '--tls-key', 'a'];
  const { settings } = readCommandLine(SERVE_FLAGS, args, { environment: {}, readConfig: () => '' });
  expect(conflictsOf(settings)).toEqual([
    '--listen unix:/a is given twice',
    '--quota-fail closed requires --redis',
    '--tls-key requires --tls-cert',
  ]);
});
