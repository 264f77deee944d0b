import { nearest } from '../common/nearest.ts';
import type { Environment } from '../server/state_directory.ts';
import { WORKER_VARIABLE } from '../server/workers/worker_messages.ts';
import { SERVE_FLAGS } from './flags.ts';
import { environmentVariable } from './settings.ts';

const PREFIX = 'MERIDIAN_';

/**
 * Variables that Kubernetes and Docker links set for a service whose name begins with `meridian`:
 * `MERIDIAN_SERVICE_HOST`, `MERIDIAN_PORT`, `MERIDIAN_PORT_80_TCP_ADDR`, `MERIDIAN_ENV_HOME`.
 */
const ORCHESTRATOR_VARIABLE = /_(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT(?:_[0-9]+_.*)?|ENV_.*|NAME)$/;

/** Variables that resemble a setting, which would otherwise be ignored silently, and the nearest setting. */
export function strayVariables(
  environment: Environment,
): { readonly name: string; readonly nearest: string }[] {
  const known = Object.keys(SERVE_FLAGS).map(environmentVariable);
  const suffixes = known.map(name => name.slice(PREFIX.length));
  return Object.keys(environment)
    .filter(name => name.toUpperCase().startsWith(PREFIX) && environment[name] !== '')
    .filter(name => !known.includes(name) && name !== WORKER_VARIABLE && !ORCHESTRATOR_VARIABLE.test(name))
    .flatMap(name => {
      const [best] = nearest(name.slice(PREFIX.length), suffixes, 1);
      return best === undefined ? [] : [{ name, nearest: `${PREFIX}${best}` }];
    });
}

/** The warning about a stray variable. */
export function strayVariableText({
  name,
  nearest: meant,
}: ReturnType<typeof strayVariables>[number]): string {
  return `${name} is set, but is not a setting; did you mean '${meant}'?`;
}
