import { Type } from '@sinclair/typebox';
import { quoted, unreadable } from '../../common/errors.ts';
import { encode, objectSchema } from '../../common/json.ts';
import {
  AbbreviationCandidate,
  abbreviationCandidate,
  zonesOfAbbreviation,
} from '../../operations/timezone.ts';
import { required, text } from '../parameters/input.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute, ofTimestamp, withDetails } from '../route.ts';

/** Parsing a zone takes 0.1 ms. */
const ZONES_PER_SLICE = 8;

const name = required(
  text('Abbreviation, case-insensitive.', 'IST'),
  "an abbreviation such as 'IST'",
  abbreviation => abbreviation.replace(/^ /, '+'), // an unescaped `+`, as in `+03`, is decoded as a space
);

export const abbreviationsRoute = jsonRoute({
  path: '/v1/abbreviations',
  summary: 'The zones that an abbreviation such as IST can refer to',
  description:
    'Lists the canonical zones that have used an abbreviation since 1970, most populous first, with their offset now or at ' +
    'the instant of a timestamp. Abbreviations are ambiguous, so `tz` does not accept them.',
  parameters: {
    name,
    instant: timestamp,
  },
  payload: objectSchema('Abbreviation', 'An abbreviation and the zones that it can refer to.', {
    name: Type.String({ description: 'The abbreviation.' }),
    candidates: Type.Array(AbbreviationCandidate, { description: 'The zones, most populous first.' }),
  }),
  lifetime: ofTimestamp,
  reads: ['zones', 'populations'],
  examples: [
    { title: 'An ambiguous abbreviation', query: 'name=IST' },
    { title: 'At an instant', query: 'name=BST&iso=1970-06-01' },
    { title: 'Not an abbreviation', query: 'name=XYZ' },
  ],
  async handle({ name, instant }, context) {
    const { zones, populations } = context.snapshot;
    const epochMs = instant?.epochMs ?? context.nowMs;
    const candidates: AbbreviationCandidate[] = [];
    for (const [index, zone] of zonesOfAbbreviation(name, zones, populations).entries()) {
      if (index % ZONES_PER_SLICE === ZONES_PER_SLICE - 1) await new Promise(setImmediate);
      const candidate = abbreviationCandidate(name, zone, epochMs, populations);
      if (candidate !== null) candidates.push(candidate);
    }
    if (candidates.length === 0) {
      throw unreadable('name', `${quoted(name)} is not an abbreviation that a zone has used since 1970`);
    }
    return withDetails(encode({ name, candidates }), context);
  },
});
