/** Signed responses by node:crypto, with the same headers as meridian's. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';

const { privateKey } = generateKeyPairSync('ed25519');
const kid = `ed25519-${new Date().toISOString().slice(0, 10)}`;

export function signatureHeaders(method, path, body) {
  const timestamp = Math.floor(Date.now() / 1000);
  const sha256 = createHash('sha256').update(body).digest('base64');
  const envelope = Buffer.from(
    JSON.stringify({ v: 'v1', status: 200, method, path, timestamp, sha256, kid }),
  );
  return {
    'X-Service-Key-Id': kid,
    'X-Service-Signature-Alg': 'Ed25519',
    'X-Service-Signature-Timestamp': String(timestamp),
    'X-Service-Content-SHA256': sha256,
    'X-Service-Signature-Input': envelope.toString('base64url'),
    'X-Service-Signature': sign(null, envelope, privateKey).toString('base64'),
  };
}
