import { quoted, ServiceError } from '../../common/errors.ts';
import { encode } from '../../common/json.ts';
import { whenReady } from '../../common/promises.ts';
import { PublicKeySet, publicKeySet, type SigningKeys } from '../../signing/key_set.ts';
import type { SigningKey } from '../../signing/signing_key.ts';
import { asGiven, optional, text } from '../inputs.ts';
import { withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';

const kid = optional(text('Returns only the key with this identifier.', 'ed25519-2026-07-19'), asGiven);

export const publicKeysRoute = jsonRoute({
  path: '/.well-known/time-api-public-key',
  summary: 'The public keys for verifying signed responses',
  description:
    'The active key comes first; retired keys remain listed, so that earlier responses can be verified. Cache the keys by ' +
    '`kid`, and request the set again when a response has an unknown `kid`.',
  parameters: { kid },
  payload: PublicKeySet,
  lifetime: 'moment',
  examples: [{ title: 'All keys', query: '' }],
  isPublic: true,
  cacheControl: 'public, max-age=300',
  errors: ['NOT_FOUND'],
  handle({ kid }, context) {
    const { signing } = context;
    const found = kid === null ? signing.current.published : whenReady(signing.find(kid), key => [key]);
    return whenReady(found, keys => withDetails(encode(keySet(keys, kid, signing)), context));
  },
});

function keySet(
  found: readonly (SigningKey | undefined)[],
  kid: string | null,
  signing: SigningKeys,
): PublicKeySet {
  const keys = found.filter(key => key !== undefined);
  if (keys.length > 0) return publicKeySet(keys);
  if (kid !== null && signing.current.published.length > 0) {
    throw new ServiceError('NOT_FOUND', `There is no key ${quoted(kid)}`, { parameter: 'kid' });
  }
  // Not SIGNING_NOT_READY, which declines `sign=true`: a client that needs the keys has a signed response, so they were lost.
  throw new ServiceError('INTERNAL_ERROR', 'This server has no signing keys');
}
