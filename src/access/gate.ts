import { ServiceError } from '../common/service_error.ts';
import { type HeaderSource, type MarketplaceHeaders, readCredential } from './credentials.ts';
import { isMistyped } from './key_format.ts';
import type { Holder, KeyRing } from './key_ring.ts';
import type { Limits } from './limits.ts';
import type { Standing } from './meter.ts';

/** What the gate decides by. */
export interface GateKeys {
  readonly direct: KeyRing;
  /** A marketplace's subscription keys, and how its requests are recognised. */
  readonly marketplace: (MarketplaceHeaders & { readonly keys: KeyRing }) | undefined;
}

/** Counts a request against its holder's limits: at once, or when a store that is shared with others has answered. */
export type Take = (holder: Holder, limits: Limits, nowMs: number) => Standing | Promise<Standing>;

/** What came of a request's credentials: a refusal, or a holder whose limits it fits. */
export interface Admission {
  readonly refusal: ServiceError | undefined;
  /** Known unless the credentials are nobody's. */
  readonly holder: Holder | undefined;
  readonly limits: Limits | undefined;
  /** Known once the limits were asked. */
  readonly standing: Standing | undefined;
}

/** The holder of a request's key, suspended or not. Throws UNAUTHORIZED or INVALID_AUTH. */
export function identify(headers: HeaderSource, { direct, marketplace }: GateKeys): Holder {
  const credential = readCredential(headers, marketplace);
  const holder = (credential.marketplace && marketplace ? marketplace.keys : direct).find(credential.key);
  if (holder !== undefined) return holder;
  throw new ServiceError(
    'INVALID_AUTH',
    isMistyped(credential.key)
      ? 'The API key was mistyped: its checksum does not match'
      : 'The API key is not known here',
  );
}

/**
 * Decides whether a request may be answered: 401 for credentials, 403 for a suspended key, 429 for limits, 502 where
 * a shared store is away and said to close then. It throws nothing; the answer is there at once unless `take` has to
 * wait.
 */
export function authorise(
  headers: HeaderSource,
  keys: GateKeys,
  take: Take,
  nowMs: number,
): Admission | Promise<Admission> {
  try {
    const holder = identify(headers, keys);
    const { limits } = holder;
    if (holder.suspended || limits === undefined) return refused(inactive(holder), holder);
    const standing = take(holder, limits, nowMs);
    if (!(standing instanceof Promise)) return admit(holder, limits, standing);
    return standing.then(
      known => admit(holder, limits, known),
      error => refused(error, holder),
    );
  } catch (error) {
    return refused(error, undefined);
  }
}

function inactive({ suspended, plan }: Holder): ServiceError {
  return new ServiceError(
    'SUBSCRIPTION_INACTIVE',
    suspended ? 'This API key is suspended' : `The plan '${plan}' of this API key is not defined here`,
  );
}

function admit(holder: Holder, limits: Limits, standing: Standing): Admission {
  return { refusal: limitRefusal(limits, standing), holder, limits, standing };
}

function refused(error: unknown, holder: Holder | undefined): Admission {
  if (!(error instanceof ServiceError)) throw error;
  return { refusal: error, holder, limits: undefined, standing: undefined };
}

function limitRefusal({ plan }: Limits, { verdict, month, rateWaitMs }: Standing): ServiceError | undefined {
  if (verdict === 'granted') return undefined;
  if (verdict === 'quota') {
    const renewal = new Date(month.endMs).toISOString().slice(0, 10);
    return new ServiceError(
      'QUOTA_EXCEEDED',
      `The quota of plan '${plan.name}' for ${month.label}, ${plan.monthlyQuota}, is used up; it begins anew on ${renewal}, 00:00 UTC`,
    );
  }
  const { perSecond, burst } = plan.rate!; // a verdict on the rate needs one
  return new ServiceError(
    'RATE_LIMITED',
    `The rate of plan '${plan.name}' is ${perSecond} a second, ${burst} at once; the next request fits in ${Math.ceil(rateWaitMs)} ms`,
  );
}
