import type { AccessLogLine, AccessLogMode } from './access_log.ts';
import type { LogClientMode } from './logged_client.ts';
import type { Traffic } from './traffic.ts';

/** Who watches the answers of a server. */
export interface Observer {
  readonly traffic: Traffic;
  readonly accessLog: {
    readonly mode: AccessLogMode;
    readonly line: AccessLogLine;
    /** Takes a line; may let it wait for others. */
    readonly write: (line: string) => void;
    readonly client: LogClientMode;
  };
}
