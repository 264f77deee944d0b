import { quotedSigned, unreadable } from '../../common/service_error.ts';

const WHOLE_NUMBER = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$/;

/** Reads `[+-]?` and digits; a space where the sign belongs is the `+` that the query string swallowed. */
export function parseWholeNumber(text: string, parameter: string, unit: string): number {
  const signed = text.startsWith(' ') ? `+${text.slice(1)}` : text;
  if (!WHOLE_NUMBER.test(signed))
    throw unreadable(parameter, `${quotedSigned(text)} is not a whole number of ${unit}`);
  return Number(signed) + 0; // -0 becomes 0
}

/** Reads a count of units, of which `most` are the whole range of times. */
export function parseAmount(text: string, parameter: string, most: number): number {
  const amount = parseWholeNumber(text, parameter, parameter);
  if (Math.abs(amount) > most) {
    throw unreadable(
      parameter,
      `${quotedSigned(text)} is more than the whole range of times, ${most} ${parameter}`,
    );
  }
  return amount;
}

/** Reads plain decimal degrees of at most `limit` either way. */
export function parseDegrees(text: string, parameter: string, limit: number): number {
  const signed = text.startsWith(' ') ? text.slice(1) : text;
  if (!DECIMAL.test(signed))
    throw unreadable(parameter, `${quotedSigned(text)} is not a number of decimal degrees`);
  const degrees = Number(signed);
  if (Math.abs(degrees) > limit) {
    throw unreadable(parameter, `${quotedSigned(text)} is not between -${limit} and ${limit} degrees`);
  }
  return degrees;
}
