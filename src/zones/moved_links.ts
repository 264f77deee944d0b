/**
 * Old names that tzdata now links to a zone in another country, and the zone of `zone.tab` that they stand for.
 *
 * Since 1970 these places have had the same time as a larger one, so `tzdata.zi` links `Iceland` to `Africa/Abidjan`.
 * The zones are from comments in tzdata's full sources: `#= Atlantic/Reykjavik` in the file `backward`, or the links
 * under `#PACKRATLIST zone.tab` in `backzone`. Timbuktu is in Mali; Jan Mayen shares `SJ` in `zone.tab` with Svalbard.
 */
export const ZONE_OF_MOVED_LINK: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['Africa/Timbuktu', 'Africa/Bamako'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Virgin', 'America/St_Thomas'],
  ['Antarctica/South_Pole', 'Antarctica/McMurdo'],
  ['Atlantic/Jan_Mayen', 'Arctic/Longyearbyen'],
  ['Iceland', 'Atlantic/Reykjavik'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
  ['Pacific/Yap', 'Pacific/Chuuk'],
]);
