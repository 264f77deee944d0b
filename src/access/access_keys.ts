import { messageOf } from '../common/errors.ts';
import type { AccessLists } from './access_files.ts';
import type { Source, StoredKeySource, StoredToken } from './key_store.ts';
import { KeyTable, type KnownKeys, type Sha256, type TableSettings } from './key_table.ts';
import type { AccessTopic, ProblemLog } from './reports.ts';
import type { Account } from './usage.ts';

/** The sources of keys and plans. */
export interface KeySources {
  readonly lists: Source<AccessLists>;
  readonly tokens: StoredKeySource;
  /** Hashes the keys in requests; reusing its buffer saves 5 % of `authorise`. */
  readonly sha256?: Sha256 | undefined;
}

export interface KeySettings extends Omit<TableSettings, 'sha256'> {
  /** Whether a key source is configured, even an empty one: the server then never serves without a key. */
  readonly hasKeySource: boolean;
}

interface Loaded<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/** The stored keys by id, changed one by one. */
interface LoadedTokens extends Loaded<Map<string, StoredToken>> {
  /** Whether there is, or has been, a key. */
  readonly hasEverHeld: boolean;
}

/** Keys and plans in force. */
interface Current extends KnownKeys {
  readonly lists: Loaded<AccessLists>;
  readonly tokens: LoadedTokens;
  readonly table: KeyTable;
  readonly accounts: ReadonlyMap<string, Account>;
  /** Whether a key source is configured, or there has ever been a key: removing the last one does not open the server. */
  readonly isKeyed: boolean;
}

/**
 * The keys and plans in force. Changes to stored keys are applied individually, any other change rebuilds the whole table;
 * accounts are preserved. A source that can no longer be read is reported, and its previous contents remain in force.
 */
export class AccessKeys {
  readonly #settings: KeySettings;
  readonly #sources: KeySources;
  readonly #problems: ProblemLog;
  #current: Current;

  /** Throws if a source cannot be read: a server must not start without its keys. */
  constructor(settings: KeySettings, sources: KeySources, problems: ProblemLog) {
    this.#settings = settings;
    this.#sources = sources;
    this.#problems = problems;
    this.#current = this.#composed(load(sources.lists), loadTokens(sources.tokens), undefined);
  }

  get current(): Current {
    return this.#current;
  }

  /** Whether any request can be authenticated. */
  get hasKeys(): boolean {
    const { direct, marketplace } = this.#current;
    return direct.size + (marketplace?.keys.size ?? 0) > 0;
  }

  /** A short description for the log. */
  get summary(): string {
    const { direct, marketplace, lists } = this.#current;
    const subscriptions = marketplace === undefined ? '' : `, marketplace keys: ${marketplace.keys.size}`;
    return `API keys: ${direct.size}${subscriptions}, plans: ${lists.value.plans.size}`;
  }

  /** Reads what has changed, or rereads everything; without a change it costs a few system calls. */
  refresh(isForced = false): void {
    const { lists, tokens } = this.#current;
    const newLists = this.#checked('files', lists, () =>
      isForced || this.#sources.lists.stamp() !== lists.stamp ? load(this.#sources.lists) : lists,
    );
    const newTokens = this.#checked('tokens', tokens, () =>
      isForced ? loadTokens(this.#sources.tokens) : this.#changedTokens(),
    );
    if (newLists !== lists || newTokens.value !== tokens.value)
      this.#current = this.#composed(newLists, newTokens, this.#current);
    else if (newTokens !== tokens) this.#current = { ...this.#current, tokens: newTokens, isKeyed: true };
  }

  /** The current stored keys. Applies changes to them and to the table, or rereads all of them. */
  #changedTokens(): LoadedTokens {
    const { tokens, table } = this.#current;
    const source = this.#sources.tokens;
    const stamp = source.stamp(); // before reading: a change in between is then read again
    if (stamp === tokens.stamp) return tokens;
    const changes = source.changesSince(tokens.stamp);
    if (changes === undefined) return loadTokens(source);
    for (const [id, token] of changes) {
      if (token === null) tokens.value.delete(id);
      else tokens.value.set(id, token);
      table.set(id, token);
    }
    this.#reportMissingPlans(table);
    return { stamp, value: tokens.value, hasEverHeld: true };
  }

  /** The result of reading, or the previous value if that fails. */
  #checked<Value>(topic: AccessTopic, former: Value, read: () => Value): Value {
    const subject = topic === 'files' ? 'Key and plan files' : 'Stored API keys';
    try {
      const value = read();
      this.#problems.solve(topic, `${subject} can be read again`);
      return value;
    } catch (error) {
      this.#problems.fail(topic, `${messageOf(error)}; the previous keys and plans stay in force`);
      return former;
    }
  }

  #composed(lists: Loaded<AccessLists>, tokens: LoadedTokens, former: Current | undefined): Current {
    const settings = { ...this.#settings, sha256: this.#sources.sha256 };
    const table = new KeyTable(lists.value, tokens.value.values(), settings, former?.table);
    this.#reportMissingPlans(table);
    const { direct, marketplace, accounts } = table;
    const isKeyed =
      former?.isKeyed === true || this.#settings.hasKeySource || tokens.hasEverHeld || direct.size > 0;
    return { lists, tokens, table, direct, marketplace, accounts, isKeyed };
  }

  #reportMissingPlans({ missingPlans }: KeyTable): void {
    const [first] = missingPlans;
    if (first === undefined) {
      this.#problems.solve('plans', 'The plans of all API keys are defined again');
      return;
    }
    const [id, plan] = first;
    const others = missingPlans.size === 1 ? '' : ` (and ${missingPlans.size - 1} more)`;
    this.#problems.fail('plans', `API key ${id}${others} is rejected: its plan '${plan}' is not defined`);
  }
}

function load<Value>(source: Source<Value>): Loaded<Value> {
  const stamp = source.stamp(); // before reading: a change in between is then read again
  return { stamp, value: source.read() };
}

function loadTokens(source: StoredKeySource): LoadedTokens {
  const { stamp, value } = load(source);
  return {
    stamp,
    value: new Map(value.tokens.map(token => [token.id, token])),
    hasEverHeld: value.hasEverHeld,
  };
}
