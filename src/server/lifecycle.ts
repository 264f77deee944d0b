import type { MetricFamily } from '../http/traffic.ts';
import type { Reloader } from './reload.ts';
import type { Environment } from './state_directory.ts';
import type { ServedAddresses } from './succession.ts';

export interface ProcessContext {
  readonly environment: Environment;
  /** Prints one or more lines to stdout. */
  readonly print: (text: string) => void;
}

/** The report of a server that accepts connections. */
export interface Readiness extends ServedAddresses {
  /** The lines for stdout. */
  readonly lines: readonly string[];
  /** Problems that do not prevent serving, one line each. */
  readonly problems: readonly string[];
}

/** Controls a serving process, on behalf of the operating system or the supervisor of workers. */
export interface Lifecycle {
  /** The metrics of the whole server, including this process. */
  readonly gatherMetrics: () => Promise<readonly MetricFamily[]>;
  /** Reports that requests require API keys from now on. */
  readonly onKeyed: () => void;
  /**
   * Reports readiness; resolves when the process must stop, with the number of workers of a server that has taken over; null
   * if none has.
   */
  readonly untilStop: (readiness: Readiness) => Promise<number | null>;
}

/** The parts of a process that its {@link Lifecycle} uses. */
export interface ControlledProcess {
  readonly reloader: Reloader;
  readonly ownMetrics: () => MetricFamily[];
  /** The files that a reload rereads. */
  readonly files: readonly string[];
}
