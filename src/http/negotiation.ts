/** Whether an `If-None-Match` matches a tag, weak or strong, by weak comparison (RFC 9110 §13.1.2). */
export function hasAlready(condition: string | null, tag: string): boolean {
  if (condition === null) return false;
  if (condition === tag) return true; // as most clients send it
  const opaque = tag.replace(/^W\//, '');
  return (
    condition.trim() === '*' || condition.split(',').some(item => item.trim().replace(/^W\//, '') === opaque)
  );
}

/**
 * Whether an `If-None-Match` matches any response. It applies only to a successful one (RFC 9110 §13.2.1), so the response has to
 * be computed first. A specific tag can only come from a successful response.
 */
export function matchesAny({ headers }: Request): boolean {
  return headers.get('If-None-Match')?.trim() === '*';
}

/** A content coding (RFC 9110 §8.4.1) that this server supports; `identity` is none. */
export type Coding = 'br' | 'zstd' | 'gzip' | 'identity';

/**
 * The coding that an `Accept-Encoding` prefers (RFC 9110 §12.5.3): the one with the greatest weight, or the first of equals.
 * `identity` comes last, with the weight given for its name only. It is also used for clients that accept none of the others,
 * even if they do not accept `identity` either, since a body is more useful to them than an error.
 */
export function preferredCoding(codings: readonly Coding[], accepted: string | null): Coding {
  const weights = weightsOf(accepted);
  let best: Coding = 'identity';
  let most = 0;
  for (const coding of [...codings, 'identity'] as const) {
    const weight = weights.get(coding) ?? (coding === 'identity' ? 0 : weights.get('*')) ?? 0;
    if (weight > most) [best, most] = [coding, weight];
  }
  return best;
}

/** Whether an `Accept` (RFC 9110 §12.5.1) gives HTML a greater weight than JSON, as browsers do for pages. */
export function prefersHtml(accepted: string | null): boolean {
  const weights = weightsOf(accepted);
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.split('/', 1)[0]}/*`) ?? weights.get('*/*') ?? 0;
  return weightOf('text/html') > weightOf('application/json');
}

/** The weights by name, 0 if not acceptable. */
function weightsOf(accepted: string | null): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of (accepted ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    weights.set(name!, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}
