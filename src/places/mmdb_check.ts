import type { Reader } from 'mmdb-lib';
import { quoted } from '../common/service_error.ts';
import { plainText } from './ip_address.ts';
import { METADATA_LIMIT, METADATA_MARKER, recordReader, SEPARATOR_LENGTH } from './mmdb_layout.ts';
import { placementOf } from './mmdb_placement.ts';
import { MmdbValueChecker } from './mmdb_value_checker.ts';
import { walkTree } from './mmdb_walk.ts';
import { openMmdb } from './mmdb_zones.ts';

/** So many records without a zone or coordinates show a database to be of another kind. */
const RECORDS_TO_TRY = 100_000;

/**
 * Checks that every look-up in an MMDB file ends soon and well, and that it is a database of places: walks the whole
 * search tree and each record once. What it takes is bounded by the size of the file; it pauses by yielding, so that a
 * server may go on serving between its steps. Returns mmdb-lib's reader of the file, which by itself believes what it
 * reads: a flipped bit can make it answer wrongly, throw, or block for seconds.
 * @throws Error saying what is wrong, without a trailing period
 */
export function* checkMmdb(bytes: Uint8Array): Generator<void, Reader<never>> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const markerStart = checkMetadata(file);
  const reader = openReader(file);
  const { nodeCount, recordSize, searchTreeSize, ipVersion } = reader.metadata;
  const dataStart = searchTreeSize + SEPARATOR_LENGTH;
  checkOutline(file, reader.metadata, markerStart);

  const data = new MmdbValueChecker(bytes, dataStart, markerStart);
  let placed = false;
  let tried = 0;
  yield* walkTree(recordReader(bytes, recordSize), nodeCount, ipVersion === 4 ? 4 : 16, (record, address) => {
    if (record === nodeCount) return;
    const offset = record - nodeCount - SEPARATOR_LENGTH;
    if (offset < 0 || dataStart + offset >= markerStart) {
      throw new Error('a record of its search tree points outside its data');
    }
    if (data.knows(offset)) return;
    data.check(offset);
    if (placed || tried === RECORDS_TO_TRY) return;
    tried++;
    placed = placementOf(reader.get(plainText(address))) !== undefined;
  });
  if (!placed) {
    throw new Error(
      `it holds neither time zones nor coordinates; it calls itself ${quoted(`${reader.metadata.databaseType}`)}`,
    );
  }
  return reader;
}

/** Finds the metadata and checks its values; returns where its marker stands. */
function checkMetadata(file: Buffer): number {
  const tail = Math.max(0, file.length - METADATA_LIMIT);
  const found = file.subarray(tail).lastIndexOf(METADATA_MARKER);
  if (found < 0) throw new Error('it has no MMDB metadata at its end; it is of another kind, or cut short');
  try {
    const start = tail + found + METADATA_MARKER.length;
    new MmdbValueChecker(file, start, file.length).check(0);
  } catch (error) {
    throw new Error(`its metadata is damaged: ${(error as Error).message}`);
  }
  return tail + found;
}

function openReader(file: Buffer): Reader<never> {
  try {
    return openMmdb(file);
  } catch (error) {
    throw new Error(`its metadata is damaged: ${(error as Error).message}`);
  }
}

/** Checks that the parts of the file lie where its metadata says. */
function checkOutline(file: Buffer, metadata: Reader<never>['metadata'], markerStart: number): void {
  const { binaryFormatMajorVersion: version, ipVersion, nodeCount, searchTreeSize } = metadata;
  if (version !== 2) throw new Error(`it has version ${version} of the MMDB format, which is not 2`);
  if (ipVersion !== 4 && ipVersion !== 6)
    throw new Error(`it is for IP version ${ipVersion}, which is neither 4 nor 6`);
  const dataStart = searchTreeSize + SEPARATOR_LENGTH;
  if (!(Number.isInteger(nodeCount) && nodeCount > 0 && dataStart <= markerStart)) {
    throw new Error('its search tree reaches beyond the end of the file');
  }
  if (file.subarray(searchTreeSize, dataStart).some(byte => byte !== 0)) {
    throw new Error('its search tree does not end where its metadata says');
  }
}
