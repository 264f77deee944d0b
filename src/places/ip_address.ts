import { quoted, unreadable } from '../common/errors.ts';

/** A normalised IP address: an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) becomes the IPv4 address. */
export interface IpAddress {
  readonly version: 4 | 6;
  /** 4 or 16 bytes in network order. */
  readonly bytes: Uint8Array;
  /** The canonical text: dotted decimal, or IPv6 as in RFC 5952. */
  readonly text: string;
}

/**
 * Parses an address given as `parameter`: IPv4 in dotted decimal without leading zeros (which some parsers treat as octal), or
 * IPv6 as in RFC 4291 §2.2, without a zone id. Throws `INVALID_PARAMETER`.
 */
export function parseAddress(text: string, parameter: string): IpAddress {
  const address = readAddress(text);
  if (address === undefined) throw unreadable(parameter, reasonAgainst(text));
  return address;
}

/** The same for text that need not be an address; undefined if it is not one. */
export function readAddress(text: string): IpAddress | undefined {
  if (text.includes(':')) {
    const bytes = readIpv6(text);
    return bytes && addressOf(bytes);
  }
  const bytes = readIpv4(text);
  return bytes && { version: 4, bytes, text }; // strict parsing permits only one spelling
}

/** Whether an address is one of its machine's own loopback addresses. */
export function isLoopback(address: IpAddress | undefined): boolean {
  return address !== undefined && (address.version === 4 ? address.bytes[0] === 127 : address.text === '::1');
}

/** The address of 4 or 16 bytes in network order. */
export function addressOf(bytes: Uint8Array): IpAddress {
  if (bytes.length === 4) return { version: 4, bytes, text: bytes.join('.') };
  if (isMapped(bytes)) return addressOf(bytes.subarray(12));
  return { version: 6, bytes, text: ipv6Text(bytes) };
}

/** Whether 16 bytes are in `::ffff:0:0/96`. */
function isMapped(bytes: Uint8Array): boolean {
  for (let index = 0; index < 10; index++) if (bytes[index] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}$`);
const GROUP = /^[0-9a-f]{1,4}$/i;

/** The bytes of dotted decimal; undefined if it is malformed. */
function readIpv4(text: string): Uint8Array | undefined {
  const match = IPV4.exec(text);
  return match === null ? undefined : Uint8Array.from(match.slice(1), Number);
}

/** Parses colon-separated groups of hex digits, the last two possibly in dotted decimal, with at most one `::`. */
function readIpv6(text: string): Uint8Array | undefined {
  if (text.includes('.')) {
    const start = text.lastIndexOf(':') + 1;
    const ipv4 = readIpv4(text.slice(start));
    return ipv4 && readIpv6(`${text.slice(0, start)}${groupText(ipv4, 0)}:${groupText(ipv4, 1)}`);
  }
  const gap = text.indexOf('::');
  const before = groupsOf(gap < 0 ? text : text.slice(0, gap));
  const after = gap < 0 ? [] : groupsOf(text.slice(gap + 2));
  const count = before.length + after.length;
  if (gap < 0 ? count !== 8 : count > 7) return undefined; // `::` stands for at least one group
  const bytes = new Uint8Array(16);
  for (let index = 0; index < count; index++) {
    const group = before[index] ?? after[index - before.length]!;
    if (!GROUP.test(group)) return undefined;
    const at = 2 * (index < before.length ? index : index + 8 - count);
    const value = Number.parseInt(group, 16);
    bytes[at] = value >> 8;
    bytes[at + 1] = value & 0xff;
  }
  return bytes;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

/** RFC 5952 §4: lower case, no leading zeros, `::` for the longest run of two or more zero groups, the first if equal. */
function ipv6Text(bytes: Uint8Array): string {
  let gapStart = 8;
  let gapEnd = 9;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groupText(bytes, end) === '0') end++;
    if (end - start > gapEnd - gapStart) [gapStart, gapEnd] = [start, end];
    start = end;
  }
  let text = '';
  for (let group = 0; group < 8; group++) {
    if (group === gapStart) text += '::';
    if (group >= gapStart && group < gapEnd) continue;
    if (group > 0 && group !== gapEnd) text += ':';
    text += groupText(bytes, group);
  }
  return text;
}

function groupText(bytes: Uint8Array, group: number): string {
  return ((bytes[group * 2]! << 8) | bytes[group * 2 + 1]!).toString(16);
}

/** Why a text is not an address, and what is expected. */
function reasonAgainst(text: string): string {
  const shown = quoted(text);
  const percent = text.indexOf('%');
  if (percent >= 0 && readAddress(text.slice(0, percent)))
    return `${shown} has a zone id, which means something on one machine only; leave out ${quoted(text.slice(percent))}`;
  if (/^[\d.]+$/.test(text) && /(^|\.)0\d/.test(text))
    return `${shown} has a number with a leading zero, which some read as octal; write it without`;
  if (text.includes('/')) return `${shown} is a network; expected a single IPv4 or IPv6 address`;
  if (text.startsWith('[') || /^[\d.]+:\d+$/.test(text))
    return `${shown} is not an IP address; write it without brackets and port`;
  return `${shown} is not an IPv4 or IPv6 address`;
}
