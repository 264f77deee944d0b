/** Cursors: positions in lists as text. Parsers throw an Error that describes the problem. */
import { monthAt, monthLabelled } from '../month.ts';
import type { TokenPosition, UsagePosition } from '../stored_token.ts';

const TOKEN_CURSOR = /^(?<createdMs>\d{1,15})\.(?<id>[\w-]{1,64})$/;
const USAGE_CURSOR = /^(?<month>\d{4}-(0[1-9]|1[0-2]))\.(?<id>[\w-]{1,64})$/;

/** `1795226400000.0Kc3pTq9d` */
export function writeTokenCursor({ createdMs, id }: TokenPosition): string {
  return `${createdMs}.${id}`;
}

export function parseTokenCursor(text: string): TokenPosition {
  const { createdMs, id } = groupsOf(text, TOKEN_CURSOR);
  return { createdMs: Number(createdMs), id: id! };
}

/** `2026-11.0Kc3pTq9d` */
export function writeUsageCursor({ month, id }: UsagePosition): string {
  return `${monthAt(month).label}.${id}`;
}

/** A cursor of a list of all months, or of one. */
export function parseUsageCursor(text: string, month: number | null): UsagePosition {
  const { month: label, id } = groupsOf(text, USAGE_CURSOR);
  const position = { month: monthLabelled(label!), id: id! };
  if (month !== null && position.month !== month)
    throw new Error(`'${text}' belongs to a list for another month`);
  return position;
}

function groupsOf(text: string, pattern: RegExp): Readonly<Record<string, string>> {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) throw new Error(`'${text.slice(0, 80)}' is not a 'next_cursor' of this list`);
  return groups;
}
