import type { DataSetManifest } from '../../../data/manifest.ts';
import { zonesManifest } from '../../../data/zones/embedded.ts';
import type { Command } from '../command.ts';
import { loadZones } from '../data.ts';
import { DOCTOR_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';
import { BUILD } from '../version.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  synopsis: '[flags]',
  summary: 'say what data is inside and how fresh it is',
  flags: DOCTOR_FLAGS,
  async run(args, context) {
    const { settings } = readCommandLine(DOCTOR_FLAGS, args, context);
    const zones = loadZones(settings.zoneinfo);
    const report = {
      meridian: BUILD,
      runtime: `Bun ${Bun.version}`,
      zones: { version: zones.version, from: settings.zoneinfo ?? 'embedded', names: zones.names().length },
      embedded: [zonesManifest],
    };
    context.print(settings.json ? JSON.stringify(report, null, 2) : asText(report));
    return 0;
  },
};

function asText(report: {
  meridian: typeof BUILD;
  runtime: string;
  zones: { version: string; from: string; names: number };
  embedded: readonly DataSetManifest[];
}): string {
  const { meridian, runtime, zones, embedded } = report;
  return [
    `meridian   ${meridian.version} (${meridian.commit}) on ${runtime}`,
    `zones      tzdata ${zones.version}, ${zones.names} names, from ${zones.from}`,
    ...embedded.map(
      set => `embedded   ${set.name} ${set.version} of ${set.date}, ${set.licence}, ${set.source}`,
    ),
  ].join('\n');
}
