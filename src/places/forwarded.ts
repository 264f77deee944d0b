/**
 * A pair: `token` of RFC 9110 §5.6.2 `=` a token or a `quoted-string` of §5.6.4, then the separator to the next pair or
 * element. The unquoted `[2001:db8::1]:80` that some proxies write is not in the grammar, but accepted as unambiguous.
 */
const PAIR = /[ \t]*([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[ \t]*(;|,|$)/y;
const EMPTY = /[ \t]*(;|,|$)/y;

/**
 * The `for` parameters of a `Forwarded` header (RFC 7239 §4) in the order of the hops, unquoted; an element without
 * one gives an empty string. Undefined if the header violates the grammar: an unbalanced quote from a client could hide
 * what a proxy appended, so such a header is rejected as a whole.
 */
export function forwardedFor(header: string): string[] | undefined {
  const hops: string[] = [];
  let hop: string | undefined;
  let elementHasPairs = false;
  let position = 0;
  while (position < header.length) {
    PAIR.lastIndex = EMPTY.lastIndex = position;
    const pair = PAIR.exec(header);
    const separator = pair?.[4] ?? EMPTY.exec(header)?.[1];
    if (separator === undefined) return undefined;
    if (pair) {
      elementHasPairs = true;
      const isFor = pair[1]!.toLowerCase() === 'for';
      if (isFor && hop !== undefined) return undefined; // a parameter occurs once per element
      if (isFor) hop = pair[2] ?? pair[3]!.replace(/\\(.)/g, '$1');
      position = PAIR.lastIndex;
    } else {
      position = EMPTY.lastIndex;
    }
    if (separator !== ';' && elementHasPairs) {
      hops.push(hop ?? '');
      hop = undefined;
      elementHasPairs = false;
    }
  }
  return hops;
}
