/** The country of a calendar: `DE` for `DE-BY`. */
export function countryOf(code: string): string {
  return code.slice(0, 2);
}

/** The code of a calendar within its country, `BY-A` of `DE-BY-A`; null for a country. */
export function partOf(code: string): string | null {
  return code.slice(3) || null;
}

/** Whether a calendar is below another: `DE-BY` and `DE-BY-A` below `DE`. */
export function isBelow(code: string, above: string): boolean {
  return code.startsWith(`${above}-`);
}

/** A code and those of the calendars above it: `DE-BY-A`, `DE-BY`, `DE`. */
export function lineageOf(code: string): string[] {
  const parts = code.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}
