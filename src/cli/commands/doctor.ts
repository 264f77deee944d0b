import type { DataSetManifest } from '../../../data/manifest.ts';
import { zonesManifest } from '../../../data/zones/embedded.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { KeyStoreError } from '../../signing/key_store.ts';
import { activeKey } from '../../signing/signing_key.ts';
import type { Command } from '../command.ts';
import { loadZones } from '../data.ts';
import { DOCTOR_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';
import { keyDirectory } from '../signing_keys.ts';
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
      signing: await signingReport(keyDirectory(settings, context)),
      embedded: [zonesManifest],
    };
    context.print(settings.json ? JSON.stringify(report, null, 2) : asText(report));
    return 0;
  },
};

interface SigningReport {
  readonly from: string;
  readonly active: string | null;
  readonly created: string | null;
  readonly retired: number;
  readonly problem: string | null;
}

async function signingReport(store: KeyDirectory): Promise<SigningReport> {
  const none = { from: store.path, active: null, created: null, retired: 0 };
  try {
    const keys = await store.load();
    const active = activeKey(keys);
    if (active === undefined) return { ...none, retired: keys.length, problem: null };
    const created = new Date(active.createdMs).toISOString();
    return { ...none, active: active.kid, created, retired: keys.length - 1, problem: null };
  } catch (error) {
    if (error instanceof KeyStoreError) return { ...none, problem: error.message };
    throw error;
  }
}

function signingText({ from, active, created, retired, problem }: SigningReport): string {
  if (problem !== null) return problem;
  if (active === null) return `no active key in ${from}: a server makes one at its start`;
  return `${active} of ${created}, ${retired} retired, in ${from}`;
}

function asText(report: {
  meridian: typeof BUILD;
  runtime: string;
  zones: { version: string; from: string; names: number };
  signing: SigningReport;
  embedded: readonly DataSetManifest[];
}): string {
  const { meridian, runtime, zones, signing, embedded } = report;
  return [
    `meridian   ${meridian.version} (${meridian.commit}) on ${runtime}`,
    `zones      tzdata ${zones.version}, ${zones.names} names, from ${zones.from}`,
    `signing    ${signingText(signing)}`,
    ...embedded.map(
      set => `embedded   ${set.name} ${set.version} of ${set.date}, ${set.licence}, ${set.source}`,
    ),
  ].join('\n');
}
