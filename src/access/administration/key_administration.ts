import type { TokenStore } from '../stored_token.ts';

/** An operator's change of an API key, for the log. Contains no secrets. */
export interface KeyChange {
  readonly action: 'add' | 'edit' | 'rotate' | 'expire' | 'suspend' | 'resume' | 'remove';
  /** The key that was changed. */
  readonly id: string;
  /** The operator's key: its id, or its position in a list. */
  readonly operator: string;
  /** The new values. */
  readonly values: Readonly<Record<string, string | null>>;
}

/** The stored API keys of a server, for operators. */
export interface KeyAdministration {
  /** The plans that a key can have. */
  planNames(): readonly string[];
  /**
   * The stored keys; an empty store if there is none, unless it is to be created. Methods wait while another process has the store
   * locked, and reject with UPSTREAM_FAILURE if the keys are in Redis and it cannot be reached.
   */
  open(create?: boolean): Promise<TokenStore>;
  /** Logs a change. */
  record(change: KeyChange): void;
}

/** The store if the state directory has none. */
export const NO_KEYS: TokenStore = {
  tokens: () => [],
  find: () => new Map(),
  add() {},
  change: () => false,
  rotate: () => false,
  remove: () => false,
  requests: () => new Map(),
  usage: () => [],
};
