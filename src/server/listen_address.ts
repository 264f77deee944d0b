/** A host and port, or the path of a unix socket. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

const HOST_AND_PORT = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:[\]]+)):(?<port>[0-9]{1,5})$/;

/** Whether an address is reachable only from this machine. */
export function isLoopback(address: ListenAddress): boolean {
  if (address.kind === 'unix') return true;
  const host = address.host.toLowerCase();
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** Parses `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`. */
export function parseListenAddress(text: string): ListenAddress {
  if (text.startsWith('unix:') && text.length > 'unix:'.length)
    return { kind: 'unix', path: text.slice('unix:'.length) };
  const groups = HOST_AND_PORT.exec(text)?.groups;
  const host = groups?.['bracketed'] ?? groups?.['plain'];
  const port = Number(groups?.['port']);
  if (host === undefined || !(port <= 65_535))
    throw new Error(`'${text}' is not HOST:PORT, [IPV6]:PORT or unix:PATH`);
  return { kind: 'tcp', host, port };
}

/** The inverse of {@link parseListenAddress}. */
export function formatListenAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}
