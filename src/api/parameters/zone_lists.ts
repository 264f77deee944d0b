import { quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { rejectSeveral } from '../../http/query.ts';
import { dataSets } from '../../operations/served_data.ts';
import { zoneTarget } from '../../operations/target.ts';
import { isCountryWithZones, zonesOf } from '../../operations/timezone.ts';
import { CountryText, type DecodeContext, flagSchema, group, type InputFactory, optional } from './input.ts';
import { ONE_TARGET, type Selection, suppliedTarget, type Targets, zoneTargets } from './targets.ts';

const ZONES = dataSets('zones');
const COUNTRY = new RegExp(CountryText.pattern!); // it has one

/** The upper-case code of a country that has a zone. */
export const country: InputFactory<string | null> = optional(CountryText, countryCode, ZONES);

function countryCode(text: string, parameter: string, { snapshot }: DecodeContext): string {
  const code = text.toUpperCase();
  if (COUNTRY.test(text) && isCountryWithZones(code, snapshot.zones)) return code;
  throw unreadable(parameter, `${quoted(text)} is not the ISO 3166-1 alpha-2 code of a country with a zone`);
}

/** One target, or several: those of a list in `tz`, the zones of `country`, or with `all=true` all canonical zones. */
export const targetOrZones: InputFactory<Targets> = group({
  parameters: {
    ...zoneTargets.parameters,
    country: { ...CountryText, description: 'ISO 3166-1 alpha-2 code: all zones of the country.' },
    all: flagSchema('All zones listed by `/v1/timezones`.'),
  },
  reads: zoneTargets.reads,
  readsIn: (query, selected: Selection | null, snapshot, value) =>
    selected === null ? ZONES : zoneTargets.readsIn(query, selected, snapshot, value),
  select(query) {
    const others = ['country', 'all'].filter(name =>
      name === 'all' ? query.hasFlag(name) : query.has(name),
    );
    const selector = suppliedTarget(query);
    rejectSeveral(selector === undefined ? others : [selector, ...others], ONE_TARGET);
    return zoneTargets.select(query);
  },
  decode(query, context, selected) {
    const targets = zoneTargets.decode(query, context, selected);
    const text = query.get('country');
    const code = text === undefined ? null : countryCode(text, 'country', context);
    const isAll = query.flag('all');
    if (targets !== null) return targets;
    if (code === null && !isAll) {
      throw new ServiceError(
        'MISSING_TARGET',
        "A target is missing: give a selector such as 'tz', 'country' or 'all=true'",
      );
    }
    return zonesOf(code, context.snapshot.zones).map(zoneTarget);
  },
});
