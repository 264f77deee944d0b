import { Type } from '@sinclair/typebox';
import { quoted, ServiceError } from '../../common/service_error.ts';
import type { Respond } from '../../http/observe.ts';
import type { Query } from '../../http/query.ts';
import { requestIdOf } from '../../http/request_id.ts';
import { errorResponse, jsonHeaders, nameIgnored, readQuery } from '../../http/respond.ts';
import type { Services } from '../../http/services.ts';
import { PublicKeySet, publicKeySet } from '../../signing/public_key_set.ts';
import type { SigningKey } from '../../signing/signing_key.ts';
import { type Answer, always } from '../answer.ts';
import { KeyIdText } from '../parameters/schemas.ts';
import type { JsonRoute } from '../route.ts';

/** The public key set. It has a responder of its own, {@link createPublicKeysResponder}. */
export const publicKeysRoute: JsonRoute<Promise<Answer>> = {
  path: '/.well-known/time-api-public-key',
  summary: 'The keys that signed answers are verified with',
  description:
    'The active key comes first, retired ones stay for the answers that they signed. Keep the set by `kid`, and ask ' +
    'again when an answer names one that you do not have.',
  query: Type.Object({ kid: Type.Optional(KeyIdText) }),
  answer: PublicKeySet,
  examples: [{ title: 'All keys', query: '' }],
  isPublic: true,
  errors: ['NOT_FOUND'],
  async prepare({ query, services }) {
    const keys = await keySetFor(query.get('kid'), services);
    return always(() => JSON.stringify(keys));
  },
};

const KNOWN: ReadonlySet<string> = new Set(Object.keys(publicKeysRoute.query.properties));

/** Answers with the public key set: open to all, kept by caches for five minutes, and never signed itself. */
export function createPublicKeysResponder(services: Services): Respond {
  const open = { ...services, corsOrigin: '*' };
  const headers = { ...jsonHeaders(open), 'Cache-Control': 'public, max-age=300' };
  return async ({ request }) => {
    const requestId = requestIdOf(request);
    let query: Query | undefined;
    try {
      query = readQuery(request.url, KNOWN);
      const body = JSON.stringify(await keySetFor(query.get('kid'), services));
      const answerHeaders = new Headers({ ...headers, 'X-Request-Id': requestId });
      nameIgnored(answerHeaders, query.ignored);
      return new Response(body, { headers: answerHeaders });
    } catch (thrown) {
      return errorResponse(thrown, requestId, open, undefined, query?.ignored);
    }
  };
}

async function keySetFor(kid: string | undefined, { signing }: Services): Promise<PublicKeySet> {
  const keys = kid === undefined ? await signing.published() : [await signing.find(kid)].filter(isFound);
  if (keys.length > 0) return publicKeySet(keys);
  if (kid !== undefined && signing.current.published.length > 0) {
    throw new ServiceError('NOT_FOUND', `There is no key ${quoted(kid)}`);
  }
  throw new ServiceError('INTERNAL_ERROR', 'This server has no signing keys');
}

function isFound(key: SigningKey | undefined): key is SigningKey {
  return key !== undefined;
}
