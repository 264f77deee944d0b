import { messagesOf } from '../common/message_of.ts';
import { checkAccess } from '../server/access.ts';
import { Certificate } from '../server/listening/certificate.ts';
import { type LoadedData, loadData } from '../server/load_data.ts';
import type { Environment } from '../server/state_directory.ts';
import type { ServeSettings } from './flags.ts';
import { conflictsOf } from './setting_conflicts.ts';

/** What `serve` would find in its settings and the files that they name. */
export interface Inspection extends LoadedData {
  /** Everything that would prevent a start, or a use of what is configured: a line each. */
  readonly faults: readonly string[];
}

/** Inspects settings and their files as `serve` reads them, without its listeners. Returns all faults. */
export async function inspectSettings(
  settings: ServeSettings,
  environment: Environment,
): Promise<Inspection> {
  const faults = [...conflictsOf(settings)];
  const loaded = await loadData(settings, async (_, error) => {
    faults.push(error.message);
    return null;
  });
  for (const check of [() => Certificate.open(settings), () => checkAccess(settings, environment)]) {
    try {
      check();
    } catch (error) {
      faults.push(...messagesOf(error));
    }
  }
  return { ...loaded, faults };
}
