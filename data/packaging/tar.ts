/** A user or group. */
interface Account {
  readonly id: number;
  readonly name: string;
}

const ROOT: Account = { id: 0, name: 'root' };

/** A tar archive entry; a folder if it has no content. The owner defaults to root, the group to the owner's. */
export interface TarEntry {
  readonly path: string;
  readonly mode: number;
  readonly content?: Uint8Array;
  readonly owner?: Account;
  readonly group?: Account;
  /** Extended attributes (POSIX pax), by keyword. */
  readonly pax?: Readonly<Record<string, string>>;
}

const BLOCK = 512;
const FILE = '0';
const FOLDER = '5';
const PAX = 'x';

/** The blocks of entries in ustar format and in the given order, determined by the entries alone. */
export function tarEntries(entries: readonly TarEntry[], epochSeconds: number): Uint8Array[] {
  return entries.flatMap(entry => {
    const extended = paxRecords(entry.pax ?? {});
    return [
      ...(extended.length === 0 ? [] : block({ path: 'pax', mode: 0o644, content: extended }, PAX)),
      ...block(entry, entry.content === undefined ? FOLDER : FILE),
    ];
  });

  function block(entry: TarEntry, type: string): Uint8Array[] {
    const content = entry.content ?? new Uint8Array();
    const padding = new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(entry, type, content.length, epochSeconds), content, padding];
  }
}

/** A whole archive: its entries and two empty blocks. */
export function tarArchive(entries: readonly TarEntry[], epochSeconds: number): Uint8Array {
  return Buffer.concat([...tarEntries(entries, epochSeconds), new Uint8Array(2 * BLOCK)]);
}

function header(entry: TarEntry, type: string, size: number, epochSeconds: number): Uint8Array {
  const { path, mode, owner = ROOT, group = owner } = entry;
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    bytes.write(value.toString(8).padStart(length - 1, '0'), offset);
  const name = type === FOLDER ? `${path}/` : path;
  if (Buffer.byteLength(name) > 100) throw new Error(`${path} is too long for tar`);
  bytes.write(name, 0);
  octal(mode, 100, 8);
  octal(owner.id, 108, 8);
  octal(group.id, 116, 8);
  octal(size, 124, 12);
  octal(epochSeconds, 136, 12);
  bytes.write(type, 156);
  bytes.write('ustar\x0000', 257);
  bytes.write(owner.name, 265);
  bytes.write(group.name, 297);
  bytes.fill(' ', 148, 156); // the checksum is computed with spaces in its field
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

/** `LENGTH KEYWORD=VALUE\n` each, where the length counts itself (POSIX pax interchange format). */
function paxRecords(pax: Readonly<Record<string, string>>): Uint8Array {
  const records = Object.entries(pax).map(([keyword, value]) => {
    const rest = ` ${keyword}=${value}\n`;
    const digits = String(rest.length + String(rest.length).length).length;
    return `${rest.length + digits}${rest}`;
  });
  return Buffer.from(records.join(''));
}

/** A text file. */
export function textEntry(path: string, text: string, mode = 0o644): TarEntry {
  return { path, mode, content: Buffer.from(text) };
}

/** Compressed by the same library on all machines; barely unless it is for a release. */
export function gzipOf(bytes: Uint8Array, compression: 'best' | 'none'): Uint8Array {
  const level = compression === 'best' ? 9 : 0;
  return Bun.gzipSync(bytes as Uint8Array<ArrayBuffer>, { library: 'libdeflate', level });
}

/** The parent folders of file paths, top down, without duplicates. */
export function parentFolders(paths: readonly string[]): TarEntry[] {
  const folders = paths.flatMap(path => {
    const parts = path.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set(folders)].sort().map(path => ({ path, mode: 0o755 }));
}
