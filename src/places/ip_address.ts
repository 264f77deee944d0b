import { quoted, unreadable } from '../common/service_error.ts';

/** An IP address in its one normal form: an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is the IPv4 address it maps. */
export interface IpAddress {
  readonly version: 4 | 6;
  /** 4 or 16 bytes in network order. */
  readonly bytes: Uint8Array;
  /** The canonical text: dotted decimal, or as RFC 5952 writes IPv6. */
  readonly text: string;
}

/**
 * Reads an address that a caller wrote under `parameter`: IPv4 in dotted decimal without leading zeros (which some
 * readers take for octal), or IPv6 as RFC 4291 §2.2 has it, without a zone id.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function parseAddress(text: string, parameter: string): IpAddress {
  const address = readAddress(text);
  if (address === undefined) throw unreadable(parameter, reasonAgainst(text));
  return address;
}

/** The same for text that need not be an address: undefined where it is none. */
export function readAddress(text: string): IpAddress | undefined {
  const bytes = text.includes(':') ? readIpv6(text) : readIpv4(text);
  return bytes && addressOf(bytes);
}

/** The address of 4 or 16 bytes in network order. */
export function addressOf(bytes: Uint8Array): IpAddress {
  if (bytes.length === 4) return { version: 4, bytes, text: bytes.join('.') };
  if (isMapped(bytes)) return addressOf(bytes.subarray(12));
  return { version: 6, bytes, text: ipv6Text(bytes) };
}

/** Whether 16 bytes lie in `::ffff:0:0/96`. */
function isMapped(bytes: Uint8Array): boolean {
  for (let index = 0; index < 10; index++) if (bytes[index] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function readIpv4(text: string): Uint8Array | undefined {
  const octets = IPV4.exec(text)?.slice(1);
  if (!octets?.every(octet => (octet.length === 1 || octet[0] !== '0') && Number(octet) <= 255))
    return undefined;
  return Uint8Array.from(octets, Number);
}

/** The longest spelling: eight groups of four, the last two as dotted decimal of three digits each. */
const LONGEST_IPV6 = 45;
const GROUP = /^[0-9a-fA-F]{1,4}$/;

function readIpv6(text: string): Uint8Array | undefined {
  if (text.length > LONGEST_IPV6) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => readGroups(half, index === halves.length - 1));
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? Uint8Array.from(head) : undefined;
  // `::` stands for at least one group.
  if (tail === undefined || head.length + tail.length > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** The bytes of groups with colons between; where they end the address, the last may be an IPv4 address. */
function readGroups(text: string, endsAddress: boolean): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    const embedded = endsAddress && index === groups.length - 1 ? readIpv4(group) : undefined;
    if (embedded !== undefined) {
      bytes.push(...embedded);
    } else if (GROUP.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes;
}

/** The text of 4 or 16 bytes without any abbreviation or change of family: what leads a reader down that very path. */
export function plainText(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join('.') : groupsOf(bytes).join(':');
}

/** The eight groups of an IPv6 address in hex, without leading zeros. */
function groupsOf(bytes: Uint8Array): string[] {
  return Array.from({ length: 8 }, (_, group) =>
    ((bytes[group * 2]! << 8) | bytes[group * 2 + 1]!).toString(16),
  );
}

/** RFC 5952 §4: lower case, no leading zeros, `::` for the longest run of two zero groups or more, the first of equals. */
function ipv6Text(bytes: Uint8Array): string {
  const groups = groupsOf(bytes);
  let longest = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > longest.length) longest = { start, length: end - start };
  }
  if (longest.length === 1) return groups.join(':');
  return `${groups.slice(0, longest.start).join(':')}::${groups.slice(longest.start + longest.length).join(':')}`;
}

/** Why a text is not an address, in words that say what would be right. */
function reasonAgainst(text: string): string {
  const shown = quoted(text);
  const percent = text.indexOf('%');
  if (percent >= 0 && readAddress(text.slice(0, percent))) {
    return `${shown} has a zone id, which means something on one machine only; leave out ${quoted(text.slice(percent))}`;
  }
  if (/^[\d.]+$/.test(text) && /(^|\.)0\d/.test(text)) {
    return `${shown} has a number with a leading zero, which some read as octal; write it without`;
  }
  if (text.includes('/')) return `${shown} is a network; a single IPv4 or IPv6 address is wanted`;
  if (text.startsWith('[') || /^[\d.]+:\d+$/.test(text)) {
    return `${shown} is not an IP address; write it without brackets and port`;
  }
  return `${shown} is not an IPv4 or IPv6 address`;
}
