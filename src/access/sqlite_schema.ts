/** A change that matters to a running server. */
const CHANGE =
  'UPDATE OF name, role, plan, digest, suspended_ms, expires_ms, former_digest, former_expires_ms';

/**
 * The schema of the key store, one step per version; `PRAGMA user_version` counts the steps applied. Append only.
 * `revision` increases with every key added or removed, and every {@link CHANGE}.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE token (
     id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL,
     digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
     created_ms INTEGER NOT NULL, last_used_ms INTEGER, suspended_ms INTEGER
   ) STRICT;
   CREATE TABLE usage (
     id TEXT NOT NULL, month TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (id, month)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE lease (
     id TEXT NOT NULL, month TEXT NOT NULL, worker INTEGER NOT NULL, allowance INTEGER NOT NULL,
     PRIMARY KEY (id, month, worker)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE revision (value INTEGER NOT NULL) STRICT;
   INSERT INTO revision VALUES (0);
   CREATE TRIGGER token_added AFTER INSERT ON token BEGIN UPDATE revision SET value = value + 1; END;
   CREATE TRIGGER token_removed AFTER DELETE ON token BEGIN UPDATE revision SET value = value + 1; END;
   CREATE TRIGGER token_changed AFTER UPDATE OF name, plan, digest, suspended_ms ON token
     BEGIN UPDATE revision SET value = value + 1; END;`,
  `ALTER TABLE token ADD COLUMN role TEXT NOT NULL DEFAULT 'client';`,
  `ALTER TABLE token ADD COLUMN expires_ms INTEGER;
   ALTER TABLE token ADD COLUMN former_digest BLOB;
   ALTER TABLE token ADD COLUMN former_expires_ms INTEGER;
   CREATE TABLE removed_token (
     id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, removed_ms INTEGER NOT NULL
   ) STRICT;
   DROP TRIGGER token_changed;
   CREATE TRIGGER token_changed AFTER ${CHANGE} ON token BEGIN UPDATE revision SET value = value + 1; END;`,
];

/**
 * Additions to the latest schema without a new version, since programs of that version are not affected by them: indexes for
 * the order of lists, and the last thousand key changes by the resulting revision.
 */
export const ADDITIONS = `
  CREATE INDEX token_by_age ON token (created_ms, id);
  CREATE INDEX usage_by_month ON usage (month, id);
  CREATE TABLE token_change (revision INTEGER NOT NULL PRIMARY KEY, id TEXT NOT NULL) STRICT;
  CREATE TRIGGER token_change_recorded AFTER INSERT ON token_change
    BEGIN DELETE FROM token_change WHERE revision <= NEW.revision - 1000; END;
  ${recordingTrigger('token_added', 'INSERT', 'NEW')}
  ${recordingTrigger('token_removed', 'DELETE', 'OLD')}
  ${recordingTrigger('token_changed', CHANGE, 'NEW')}
`;

function recordingTrigger(name: string, event: string, row: 'NEW' | 'OLD'): string {
  return `DROP TRIGGER ${name};
  CREATE TRIGGER ${name} AFTER ${event} ON token BEGIN
    UPDATE revision SET value = value + 1;
    INSERT INTO token_change SELECT value, ${row}.id FROM revision;
  END;`;
}
