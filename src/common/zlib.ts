/** Loaded on first use: it would add 2 ms to every startup. */
export function zlib(): typeof import('node:zlib') {
  return require('node:zlib');
}

/**
 * Decompresses zstd without blocking. Rejects with an `Error` if it is damaged, or longer than `maxBytes`. For a truncated frame it
 * returns the beginning, so callers must check the length.
 */
export function decompressZstd(frame: Uint8Array, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  zlib().zstdDecompress(frame, { maxOutputLength: maxBytes }, (error, bytes) =>
    error === null ? resolve(bytes) : reject(withLimit(error, maxBytes)),
  );
  return promise;
}

/** Decompresses raw deflate. Throws an `Error` if it is damaged, or longer than `maxBytes`. */
export function inflateRaw(bytes: Uint8Array, maxBytes: number): Buffer {
  try {
    return zlib().inflateRawSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw withLimit(error, maxBytes);
  }
}

function withLimit(error: unknown, maxBytes: number): unknown {
  const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  return isTooLong ? new Error(`it decompresses to more than ${maxBytes} bytes`, { cause: error }) : error;
}
