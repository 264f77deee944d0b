import { counted } from '../../common/counted.ts';
import { parseToml } from '../../common/toml.ts';
import { parseOwnNetworks } from '../../places/own_networks.ts';
import { readNamedSchedules } from '../../schedules/named_schedules.ts';
import { type SetOf, textOf } from './data_set.ts';

/** The operator's schedules. */
export const schedulesSet: SetOf<'schedules'> = {
  configurable: {
    setting: 'schedules',
    what: 'schedules',
    parse: ([file]) => readNamedSchedules(parseToml(textOf(file!))),
  },
  compiled: null,
  none: new Map(),
  describe: ({ size }) => counted(size, 'schedule'),
  status: ({ size }) =>
    size === 0 ? null : { name: 'schedules', state: 'ok', detail: counted(size, 'schedule') },
  check: () => [],
};

/** The zones of the operator's networks. */
export const ownNetworksSet: SetOf<'ownNetworks'> = {
  configurable: {
    setting: 'ip-zones',
    what: 'own networks',
    parse: ([file], _, { zones }) => parseOwnNetworks(textOf(file!), name => zones.find(name) !== undefined),
    reads: 'zones',
  },
  compiled: null,
  none: null,
  describe: () => 'own networks',
  status: () => null,
  check: () => [], // zones were looked up during parsing
};
