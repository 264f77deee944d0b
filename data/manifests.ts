import { boundariesManifest } from './boundaries/embedded.ts';
import { holidaysManifest } from './holidays/embedded.ts';
import { ipZonesManifest } from './ip/embedded.ts';
import { languagesManifest } from './languages/embedded.ts';
import type { DataSetManifest } from './manifest.ts';
import { outlinesManifest } from './outlines/embedded.ts';
import { placesManifest } from './places/embedded.ts';
import { populationsManifest } from './populations/embedded.ts';
import { releasesManifest } from './releases/embedded.ts';
import { windowsManifest } from './windows/embedded.ts';
import { zonesManifest } from './zones/embedded.ts';

/** All embedded data sets: for `doctor`, metrics, licences and the bill of materials. */
export const EMBEDDED_DATA: readonly DataSetManifest[] = [
  zonesManifest,
  releasesManifest,
  boundariesManifest,
  outlinesManifest,
  ipZonesManifest,
  placesManifest,
  holidaysManifest,
  languagesManifest,
  windowsManifest,
  populationsManifest,
];
