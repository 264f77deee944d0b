import { civilDateOf } from '../common/civil.ts';

const MS_PER_DAY = 86_400_000;
const KEY_ID = /^ed25519-\d{4,6}-\d\d-\d\d$/;

/** The `kid` of a key made at an instant: `ed25519-` and the UTC date, `daysLater` days on. */
export function keyIdOf(epochMs: number, daysLater = 0): string {
  const { year, month, day } = civilDateOf(Math.floor(epochMs / MS_PER_DAY) + daysLater);
  const [yyyy, mm, dd] = [`${year}`.padStart(4, '0'), `${month}`.padStart(2, '0'), `${day}`.padStart(2, '0')];
  return `ed25519-${yyyy}-${mm}-${dd}`;
}

/** Whether a text has the form of a `kid`; only such a text is ever made a file's name. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text);
}

/** The first `kid` from an instant's UTC date on that `isTaken` does not know. */
export function nextFreeKeyId(epochMs: number, isTaken: (kid: string) => boolean): string {
  for (let daysLater = 0; ; daysLater++) {
    const kid = keyIdOf(epochMs, daysLater);
    if (!isTaken(kid)) return kid;
  }
}
