/** What an embedded set of data is and where it is from; `doctor`, `/readyz`, metrics and the licence pages read it. */
export interface DataSetManifest {
  /** `tzdata` */
  readonly name: string;
  /** The upstream's own: `2026f`. */
  readonly version: string;
  /** The day of the upstream's release, `YYYY-MM-DD`. */
  readonly date: string;
  /** Who publishes it, and where. */
  readonly source: string;
  readonly licence: string;
  /** The words that the licence asks for. */
  readonly attribution?: string;
  /** Of the artifact, in hex. */
  readonly sha256: string;
  /** The length of the artifact. */
  readonly bytes: number;
}
