import { Database } from 'bun:sqlite';

/** What later schemas of the key store added, in an order in which it can be removed. */
const LATER = [
  'DROP TRIGGER token_changed',
  'DROP TABLE removed_token',
  ...['role', 'expires_ms', 'former_digest', 'former_expires_ms'].map(
    column => `ALTER TABLE token DROP COLUMN ${column}`,
  ),
  `CREATE TRIGGER token_changed AFTER UPDATE OF name, plan, digest, suspended_ms ON token
     BEGIN UPDATE revision SET value = value + 1; END`,
  'PRAGMA user_version = 1',
];

/** Converts a key store to the first schema, as written by early versions. */
export function makeFirstSchema(path: string): void {
  const old = new Database(path);
  for (const statement of LATER) old.run(statement);
  old.close();
}
