import { UsageError } from '../../common/usage_error.ts';

/** Where a server listens: a host and port, or the path of a unix socket. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

const HOST_AND_PORT = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:[\]]+)):(?<port>[0-9]{1,5})$/;

/** Whether only this machine can reach an address. */
export function isLoopback(address: ListenAddress): boolean {
  if (address.kind === 'unix') return true;
  const host = address.host.toLowerCase();
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; `source` is what messages call it. */
export function parseListenAddress(text: string, source: string): ListenAddress {
  if (text.startsWith('unix:') && text.length > 'unix:'.length) {
    return { kind: 'unix', path: text.slice('unix:'.length) };
  }
  const groups = HOST_AND_PORT.exec(text)?.groups;
  const host = groups?.['bracketed'] ?? groups?.['plain'];
  const port = Number(groups?.['port']);
  if (host === undefined || !(port <= 65_535)) {
    throw new UsageError(`${source}: '${text}' is not HOST:PORT, [IPV6]:PORT or unix:PATH`);
  }
  return { kind: 'tcp', host, port };
}

/** An address as {@link parseListenAddress} reads it. */
export function formatListenAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}
