/**
 * Old names of places whose link tzdata has moved into another country, and the zone of `zone.tab` that they mean.
 *
 * Since 1970 these places have kept the same time as somewhere larger, so `tzdata.zi` links `Iceland` to
 * `Africa/Abidjan`. What is meant stands beside such a link in tzdata's own sources: as `#= Atlantic/Reykjavik` in its
 * file `backward`, or as a link of the file `backzone` under `#PACKRATLIST zone.tab`. Timbuktu lies in Mali, and Jan
 * Mayen shares the row `SJ` of `zone.tab` with Svalbard.
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
