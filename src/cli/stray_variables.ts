import { nearest } from '../common/nearest.ts';
import { WORKER_VARIABLE } from '../server/workers/worker_messages.ts';
import { SETTING_NAMES } from './flags.ts';
import { environmentVariable } from './settings.ts';

/** A variable that is set and means nothing, and the one that was probably meant. */
export interface StrayVariable {
  readonly name: string;
  readonly nearest: string;
}

const PREFIX = 'MERIDIAN_';

/**
 * What Kubernetes and Docker's links put into the environment of a container where a service is called `meridian`, or
 * something that begins so: `MERIDIAN_SERVICE_HOST`, `MERIDIAN_PORT`, `MERIDIAN_PORT_80_TCP_ADDR`, `MERIDIAN_ENV_HOME`.
 */
const OF_ORCHESTRATORS = /_(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT(?:_[0-9]+_.*)?|ENV_.*|NAME)$/;

/** The variables of an environment that are a slip away from a setting: a server goes without it, and says nothing. */
export function strayVariables(environment: Readonly<Record<string, string | undefined>>): StrayVariable[] {
  const known = ['config', ...SETTING_NAMES].map(environmentVariable);
  const bare = known.map(name => name.slice(PREFIX.length));
  return Object.keys(environment)
    .filter(name => name.toUpperCase().startsWith(PREFIX) && environment[name] !== '')
    .filter(name => !known.includes(name) && name !== WORKER_VARIABLE && !OF_ORCHESTRATORS.test(name))
    .flatMap(name => {
      const [best] = nearest(name.slice(PREFIX.length), bare, 1);
      return best === undefined ? [] : [{ name, nearest: `${PREFIX}${best}` }];
    });
}

/** What is said of one. */
export function strayVariableText({ name, nearest: meant }: StrayVariable): string {
  return `${name} is set, but is no setting; did you mean '${meant}'?`;
}
