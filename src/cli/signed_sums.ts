import { readFile } from 'node:fs/promises';
import { messageOf, systemReason, visible } from '../common/message_of.ts';
import { parseMinisignKey, verifyMinisign } from '../signing/minisign.ts';

/** SHA-256 digests in hexadecimal by file name. */
export type Sums = ReadonlyMap<string, string>;

/** Verifies the signature of a release's checksums, prints its comment, and returns the checksums. */
export async function readSignedSums(
  sums: string,
  keyFile: string,
  print: (text: string) => void,
): Promise<Sums> {
  const [text, signature, key] = await Promise.all([sums, `${sums}.minisig`, keyFile].map(readNamed));
  try {
    const comment = verifyMinisign(text!, String(signature), parseMinisignKey(String(key)));
    print(visible(`ok    ${sums}, signed: ${comment}`));
  } catch (error) {
    throw new Error(`Cannot verify ${sums} with ${keyFile}: ${messageOf(error)}`);
  }
  // The format of `sha256sum`.
  const lines = String(text).matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm);
  return new Map([...lines].map(([, digest, name]) => [name!, digest!]));
}

/** The digest of a file. It is hashed in chunks, since downloads can be hundreds of megabytes. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}

async function readNamed(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Error(`Cannot read '${path}': ${systemReason(error)}`);
  }
}
