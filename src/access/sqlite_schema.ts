/**
 * The schema of the token store, one step a version: `PRAGMA user_version` counts the steps taken. Steps are only ever added at
 * the end. `revision` goes up with every change of a token that a running server has to hear of.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE token (
     id TEXT NOT NULL PRIMARY KEY,
     name TEXT NOT NULL,
     plan TEXT NOT NULL,
     digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
     created_ms INTEGER NOT NULL,
     last_used_ms INTEGER,
     suspended_ms INTEGER
   ) STRICT;
   CREATE TABLE usage (
     id TEXT NOT NULL,
     month TEXT NOT NULL,
     used INTEGER NOT NULL,
     PRIMARY KEY (id, month)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE lease (
     id TEXT NOT NULL,
     month TEXT NOT NULL,
     worker INTEGER NOT NULL,
     allowance INTEGER NOT NULL,
     PRIMARY KEY (id, month, worker)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE revision (value INTEGER NOT NULL) STRICT;
   INSERT INTO revision VALUES (0);
   CREATE TRIGGER token_added AFTER INSERT ON token BEGIN UPDATE revision SET value = value + 1; END;
   CREATE TRIGGER token_removed AFTER DELETE ON token BEGIN UPDATE revision SET value = value + 1; END;
   CREATE TRIGGER token_changed AFTER UPDATE OF name, plan, digest, suspended_ms ON token
     BEGIN UPDATE revision SET value = value + 1; END;`,
];
