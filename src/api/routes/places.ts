import { Type } from '@sinclair/typebox';
import { BoundedCache } from '../../common/caching.ts';
import { requireLength } from '../../common/errors.ts';
import { encode, type Json, jsonArray, jsonObject, objectSchema } from '../../common/json.ts';
import { perSnapshot } from '../../http/snapshot.ts';
import { PlaceListing, placeListing } from '../../operations/places.ts';
import { required, text, wholeWithin } from '../inputs.ts';
import { zoneOfPlace } from '../parameters/names.ts';
import { release } from '../parameters/releases.ts';
import { withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';

const MAX_QUERY_CHARACTERS = 64;
const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;
/** Up to twice as many places are cached, of about 200 bytes each: enough for the 50 largest of each initial, and more. */
const CACHED_PLACES = 4096;

/** The JSON of places by row. Large places recur in results, and encoding 50 takes as long as finding them. */
const listings = perSnapshot(() => new BoundedCache<number, Json<PlaceListing>>(CACHED_PLACES));

const searched = required(
  text('Name prefix; case and accents are ignored.', 'mun', { maxLength: MAX_QUERY_CHARACTERS }),
  'the first letters of a name',
  (typed, parameter) => {
    requireLength(typed, MAX_QUERY_CHARACTERS, parameter);
    return typed;
  },
);

const limit = wholeWithin(
  `Maximum number of places; by default ${DEFAULT_LIMIT}.`,
  'places',
  DEFAULT_LIMIT,
  MAX_LIMIT,
);

export const placesRoute = jsonRoute({
  path: '/v1/places',
  summary: 'Cities and towns by name prefix',
  description:
    'For autocomplete: first places with exactly this name, then those whose name begins with it, then those whose name ' +
    'begins with it except for one typo; each group by population. A country or area after a comma narrows the search, as in ' +
    '`Portland, US`.',
  parameters: { q: searched, limit, tzdata: release },
  payload: objectSchema('PlaceList', 'The places found, best match first.', {
    places: Type.Array(PlaceListing, { description: 'At most `limit` places.' }),
  }),
  lifetime: 'transition',
  reads: ['gazetteer', 'zones'],
  examples: [
    { title: 'A prefix', query: 'q=mun&limit=3' },
    { title: 'A typo', query: 'q=Lodnon&limit=1' },
    { title: 'A local name', query: 'q=Wien&limit=2' },
    { title: 'Too many', query: 'q=a&limit=51', fails: true },
  ],
  handle({ q, limit }, context) {
    const { gazetteer, zones } = context.snapshot;
    const cache = listings(context.snapshot);
    const places = gazetteer.get();
    const listed = places.searchRows(q, limit ?? DEFAULT_LIMIT).map(row =>
      cache.getOrInsertComputed(row, () => {
        const place = places.placeAt(row);
        return encode(placeListing(place, zoneOfPlace(place.zoneName, zones)));
      }),
    );
    return withDetails(jsonObject('places', jsonArray(listed)), context);
  },
});
