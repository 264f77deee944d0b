/** Describes an embedded data set; `doctor`, `/readyz`, metrics and the licence pages read it. */
export interface DataSetManifest {
  /** `tzdata` */
  readonly name: string;
  /** The version of the upstream: `2026f`. */
  readonly version: string;
  /** The date of the upstream's release, `YYYY-MM-DD`. */
  readonly date: string;
  /** The publisher and its address. */
  readonly source: string;
  readonly licence: string;
  /** The attribution that the licence requires. */
  readonly attribution?: string;
  /** The digest of the artifact, in hexadecimal. */
  readonly sha256: string;
  /** The length of the artifact in bytes. */
  readonly bytes: number;
}
