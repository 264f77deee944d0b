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
 * IPv6 as in RFC 4291 §2.2, without a zone id.
 * @throws ServiceError `INVALID_PARAMETER`
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
  const bytes = new Uint8Array(4);
  // Strict parsing permits only one spelling.
  return readIpv4(text, 0, bytes, 0) ? { version: 4, bytes, text } : undefined;
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

const DOT = 46;
const COLON = 58;

/** Parses dotted decimal from `start` to the end of a text into four bytes from `at`; false if it is malformed. */
function readIpv4(text: string, start: number, bytes: Uint8Array, at: number): boolean {
  let position = start;
  for (let octet = 0; octet < 4; octet++) {
    if (octet > 0 && text.charCodeAt(position++) !== DOT) return false;
    const first = position;
    let value = 0;
    for (let digit = digitAt(text, position); digit < 10; digit = digitAt(text, ++position)) {
      // A digit after a leading zero, or a fourth one.
      if (position > first && (value === 0 || value > 99)) return false;
      value = value * 10 + digit;
    }
    if (position === first || value > 255) return false;
    bytes[at + octet] = value;
  }
  return position === text.length;
}

/** Parses colon-separated groups of hex digits, the last two possibly in dotted decimal, with at most one `::`. */
function readIpv6(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(16);
  let length = 0;
  let gap = -1; // the position of `::` in the bytes
  let position = 0;
  while (position < text.length) {
    if (text.charCodeAt(position) === COLON && text.charCodeAt(position + 1) === COLON) {
      if (gap >= 0) return undefined;
      gap = length;
      position += 2;
      if (position === text.length) break;
    } else if (position > 0 && text.charCodeAt(position++) !== COLON) {
      return undefined;
    }
    if (length === 16) return undefined;
    const first = position;
    let group = 0;
    for (
      let digit = digitAt(text, position);
      digit < 16 && position < first + 4;
      digit = digitAt(text, ++position)
    ) {
      group = group * 16 + digit;
    }
    if (text.charCodeAt(position) === DOT) {
      if (length > 12 || !readIpv4(text, first, bytes, length)) return undefined;
      length += 4;
      break;
    }
    if (position === first) return undefined;
    bytes[length++] = group >> 8;
    bytes[length++] = group & 0xff;
  }
  if (gap < 0) return length === 16 ? bytes : undefined;
  if (length > 14) return undefined; // `::` stands for at least one group
  bytes.copyWithin(16 - (length - gap), gap, length);
  return bytes.fill(0, gap, 16 - (length - gap));
}

/** The value of a decimal or hex digit; a large number for any other character, or past the end. */
function digitAt(text: string, position: number): number {
  const code = text.charCodeAt(position);
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : 99;
}

/** RFC 5952 §4: lower case, no leading zeros, `::` for the longest run of two or more zero groups, the first if equal. */
function ipv6Text(bytes: Uint8Array): string {
  let gapStart = 8;
  let gapEnd = 9;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groupAt(bytes, end) === 0) end++;
    if (end - start > gapEnd - gapStart) [gapStart, gapEnd] = [start, end];
    start = end;
  }
  let text = '';
  for (let group = 0; group < 8; group++) {
    if (group === gapStart) text += '::';
    if (group >= gapStart && group < gapEnd) continue;
    if (group > 0 && group !== gapEnd) text += ':';
    text += groupAt(bytes, group).toString(16);
  }
  return text;
}

function groupAt(bytes: Uint8Array, group: number): number {
  return (bytes[group * 2]! << 8) | bytes[group * 2 + 1]!;
}

/** Why a text is not an address, and what is expected. */
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
