import type { DataSetManifest } from '../../data/manifest.ts';
import type { ApiDocument } from '../api/description/document.ts';

/** What the pages of a server are made of. */
export interface PageInput {
  /** The API description, which they are a view of. */
  readonly document: ApiDocument;
  /** The release of tzdata that answers come from. */
  readonly zones: string;
  /** The data inside the executable. */
  readonly data: readonly DataSetManifest[];
  /** The most entries that the server takes in a list. */
  readonly maxBulk: number;
}
