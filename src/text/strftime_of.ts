import { BoundedCache } from '../common/bounded_cache.ts';
import { compileStrftime, type Strftime } from './strftime.ts';

const compiled = new BoundedCache<string, Strftime>(256);

/**
 * `compileStrftime`, remembering the patterns asked for lately. The first `parameter` that brought a pattern stands
 * in the message of a result that is too long.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function strftimeOf(pattern: string, parameter: string): Strftime {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const strftime = compileStrftime(pattern, parameter);
  compiled.set(pattern, strftime);
  return strftime;
}
