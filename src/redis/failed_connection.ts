import type { SocketHandler } from 'bun';
import { messageOf } from '../common/errors.ts';
import { Refusal, replyError } from './redis_failures.ts';

/** By the code of an error of the system or of TLS. */
const FAILURES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'expired certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown certificate authority',
  EACCES: 'permission denied',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset: Redis may require TLS (rediss://)',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ENOENT: 'no such socket',
  ENOTFOUND: 'host not found',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate for another host',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown certificate authority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown certificate authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown certificate authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown certificate authority',
};

/** How long to look for a reason: the next attempt to connect waits for it. */
const TIMEOUT_MS = 500;

/**
 * Connects to a server that Bun's client could not connect to, since it does not say why. Resolves to the reason; undefined if this
 * connection succeeds.
 */
export async function connectionFailure(url: string): Promise<string | undefined> {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const isUnix = protocol.includes('unix');
  const host = hostname.replace(/^\[|\]$/g, '');
  const outcome = Promise.withResolvers<string | undefined>();
  const fail = (error: unknown) => {
    const { code = '' } = Object(error) as { readonly code?: string };
    outcome.resolve(FAILURES[code] ?? `connection failed (${code || messageOf(error)})`);
  };
  const login = username || password ? ['AUTH', username || 'default', password] : [];
  const greeting = ['HELLO', '3', ...login.map(decoded)];
  const greet = (socket: { write(text: string): unknown }) => {
    const parts = greeting.map(part => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
    socket.write(`*${greeting.length}\r\n${parts.join('')}`);
  };
  let received = '';
  const isTls = /^(?:redis|valkey)(?:s|\+tls)/.test(protocol);
  const handlers: SocketHandler = {
    open: socket => void (isTls || greet(socket)),
    handshake(socket, _, error) {
      if (error) fail(error);
      else greet(socket);
    },
    data(_, bytes) {
      received += bytes.toString('latin1');
      const [reply, ...others] = received.split('\r\n');
      if (others.length > 0) outcome.resolve(reply!.startsWith('-') ? refusalOf(reply!) : undefined);
    },
    connectError: (_, error) => fail(error),
    close: (_, error) => (error ? fail(error) : outcome.resolve(undefined)),
  };
  const options = {
    socket: handlers,
    ...(isTls && { tls: { serverName: host, rejectUnauthorized: false } }),
  };
  const opening = isUnix
    ? Bun.connect({ ...options, unix: host + pathname })
    : Bun.connect({ ...options, hostname: host, port: Number(port || 6379) });
  const timeout = setTimeout(() => outcome.resolve(undefined), TIMEOUT_MS);
  const settled = outcome.promise.finally(() => clearTimeout(timeout));
  opening.then(socket => settled.finally(() => socket.end()), fail);
  return await settled;
}

/** Why a server refuses the greeting: by the code of its error reply alone, since the rest may quote the password. */
function refusalOf(reply: string): string {
  if (reply.startsWith('-ERR unknown command'))
    return 'it does not know HELLO: Redis 6 or newer is required (ERR)';
  const code = /^-([A-Z]+) /.exec(reply)?.[1] ?? 'ERR';
  const error = replyError(code);
  return error instanceof Refusal ? error.message : `it rejects the login (${code})`;
}

/** Percent-decodes a part of a URL like Bun's client. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
