import { messageOf } from '../../common/errors.ts';
import { formatListenAddress, type ListenAddress } from '../../server/listen_address.ts';
import { defineCommand } from '../command.ts';
import { COMMON_FLAGS, fromServe, toggle } from '../flags.ts';

/** Shorter than the interval at which container engines repeat health checks. */
const TIMEOUT_MS = 5000;

/** The health check for container images that contain no other program. */
export const healthCommand = defineCommand({
  name: 'health',
  synopsis: '[flags]',
  summary: 'check the health of the server with the same settings; exit 1 if it is unhealthy',
  flags: {
    ready: toggle('check readiness for requests (/readyz), not only liveness (/healthz)'),
    ...COMMON_FLAGS,
    ...fromServe('listen', 'tls-cert', 'tls-key'),
  },
  async run({ settings }, { print }) {
    const address = settings.listen[0]!; // the parser accepts no empty list
    if (address.kind === 'tcp' && address.port === 0)
      throw new Error('Cannot check a server with --listen port 0: its actual port is unknown');
    const url = localUrl(address, settings['tls-cert'] !== null);
    const response = await request(address, `${url}${settings.ready ? '/readyz' : '/healthz'}`);
    print((await response.text()).trimEnd());
    return response.ok ? 0 : 1;
  },
});

/** The URL of a server from its own machine; sockets never use TLS. */
export function localUrl(address: ListenAddress, isTls: boolean): string {
  if (address.kind === 'unix') return 'http://localhost';
  const host = LOCAL_HOSTS.get(address.host) ?? address.host;
  return `${isTls ? 'https' : 'http'}://${formatListenAddress({ ...address, host })}`;
}

/** The loopback address for a server that listens on all addresses. */
const LOCAL_HOSTS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

async function request(address: ListenAddress, url: string): Promise<Response> {
  try {
    return await fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(address.kind === 'unix' && { unix: address.path }),
      // The certificate is for the server's public name, not for this address.
      tls: { rejectUnauthorized: false },
    });
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const reason = isLate ? `none in ${TIMEOUT_MS / 1000} s` : messageOf(error);
    throw new Error(`No response from ${url}: ${reason}`);
  }
}
