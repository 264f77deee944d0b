import { readFileSync } from 'node:fs';
import path from './build/licenses.txt' with { type: 'file' };

/** The licences of everything inside the executable. */
export function readLicenses(): string {
  return readFileSync(path, 'utf8');
}
