/** `00` … `99`: looking a two-digit number up is faster than padding it. */
export const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, number) =>
  number < 10 ? `0${number}` : `${number}`,
);

/** A year as ECMAScript writes it (ECMA-262 §21.4.1.32.1): `2026`, `0033`, and `±YYYYYY` outside 0000–9999. */
export function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return TWO_DIGITS[Math.floor(year / 100)]! + TWO_DIGITS[year % 100]!;
  const digits = String(Math.abs(year));
  return (year < 0 ? '-' : '+') + '0'.repeat(Math.max(0, 6 - digits.length)) + digits;
}
