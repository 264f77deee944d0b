import { messageOf } from '../common/message_of.ts';
import type { AccessLists } from './access_files.ts';
import type { Account } from './account.ts';
import type { MarketplaceHeaders } from './credentials.ts';
import type { GateKeys } from './gate.ts';
import { accountBook, holdersOfKeys, holdersOfTokens } from './holders.ts';
import { type Holder, KeyRing, type Sha256 } from './key_ring.ts';
import { checkShares, limitsOf, type WorkerShare } from './limits.ts';
import type { ProblemLog } from './problem_log.ts';
import type { StoredToken } from './sqlite_store.ts';

/** Where keys and plans come from. What cannot be read throws an Error of one line. */
export interface KeySources {
  readonly readLists: () => AccessLists;
  /** Changes when what `readLists` reads does. */
  readonly stamp: () => string;
  readonly tokens: TokenSource;
  /** For the keys that requests carry: a buffer that is used again and again saves a twentieth of their time. */
  readonly sha256?: Sha256;
}

/** The token store as a running server sees it. */
export interface TokenSource {
  /** Whether the keys may have changed since the last time. */
  refresh(): boolean;
  tokens(): StoredToken[];
}

/** How keys are read. */
export interface KeySettings {
  readonly marketplace: MarketplaceHeaders | null;
  readonly worker: WorkerShare;
  /** Whether workers divide the plans' rates among them. */
  readonly divided: boolean;
}

/** The keys and plans as they stand at the moment. What can no longer be read is reported, and stays as it was. */
export class LiveKeys {
  readonly #settings: KeySettings;
  readonly #sources: KeySources;
  readonly #problems: ProblemLog;
  #lists: AccessLists;
  #stamp: string;
  #tokens: readonly StoredToken[];
  /** The stored keys have changed since they were read. */
  #hasNewTokens = false;
  #accounts: ReadonlyMap<string, Account> = new Map();
  #keys: GateKeys;
  #hasHadKeys = false;

  /** Reads everything, and throws what is wrong: a server that does not know its keys must not start. */
  constructor(settings: KeySettings, sources: KeySources, problems: ProblemLog) {
    this.#settings = settings;
    this.#sources = sources;
    this.#problems = problems;
    this.#stamp = sources.stamp();
    this.#lists = this.#readLists();
    sources.tokens.refresh();
    this.#tokens = sources.tokens.tokens();
    this.#keys = this.#build();
  }

  get keys(): GateKeys {
    return this.#keys;
  }

  /** Whether there has ever been a key since the start. */
  get hasHadKeys(): boolean {
    return this.#hasHadKeys;
  }

  /** What is in force, in a few words. */
  get summary(): string {
    const { direct, marketplace } = this.#keys;
    const subscribed = marketplace === undefined ? '' : `, of the marketplace: ${marketplace.keys.size}`;
    return `API keys: ${direct.size}${subscribed}, plans: ${this.#lists.plans.size}`;
  }

  /**
   * Takes over what has changed, at the cost of a few system calls where nothing has. What cannot be read is tried
   * again the next time.
   */
  notice(): void {
    const stamp = this.#sources.stamp();
    const hasNewLists = stamp !== this.#stamp && this.#rereadLists();
    if (hasNewLists) this.#stamp = stamp;
    if (this.#rereadTokens() || hasNewLists) this.#keys = this.#build();
  }

  /** Takes everything over anew. */
  reload(): void {
    this.#rereadLists();
    this.#rereadTokens();
    this.#keys = this.#build();
  }

  #readLists(): AccessLists {
    const lists = this.#sources.readLists();
    if (this.#settings.divided) checkShares(lists.plans.values(), this.#settings.worker.count);
    return lists;
  }

  /** Whether the lists could be read. */
  #rereadLists(): boolean {
    try {
      this.#lists = this.#readLists();
      this.#problems.solve('files', 'The files of keys and plans can be read again');
      return true;
    } catch (error) {
      this.#problems.fail('files', `${messageOf(error)}; what was read before stays in force`);
      return false;
    }
  }

  /** Whether the stored keys have changed and could be read. */
  #rereadTokens(): boolean {
    const { tokens } = this.#sources;
    try {
      this.#hasNewTokens = tokens.refresh() || this.#hasNewTokens;
      const isRead = this.#hasNewTokens;
      if (isRead) this.#tokens = tokens.tokens();
      this.#hasNewTokens = false;
      this.#problems.solve('tokens', 'The stored API keys can be read again');
      return isRead;
    } catch (error) {
      this.#problems.fail('tokens', `${messageOf(error)}; the keys known so far stay in force`);
      return false;
    }
  }

  #build(): GateKeys {
    const { plans, keys, marketplaceKeys } = this.#lists;
    const { marketplace, worker } = this.#settings;
    const { sha256 } = this.#sources;
    const limits = new Map([...plans].map(([name, plan]) => [name, limitsOf(plan, worker)]));
    const { accounts, account } = accountBook(this.#accounts);
    const context = { limits, account };
    const direct = [...holdersOfTokens(this.#tokens, context), ...holdersOfKeys(keys, 'key', context)];
    const subscribed = holdersOfKeys(marketplaceKeys, 'marketplace', context);
    this.#accounts = accounts;
    this.#hasHadKeys ||= direct.length > 0 || marketplace !== null;
    this.#warnOfPlans(direct);
    return {
      direct: new KeyRing(direct, sha256),
      marketplace:
        marketplace === null ? undefined : { ...marketplace, keys: new KeyRing(subscribed, sha256) },
    };
  }

  #warnOfPlans(holders: readonly Holder[]): void {
    const lost = holders.filter(({ limits }) => limits === undefined);
    if (lost.length === 0) {
      this.#problems.solve('plans', 'All API keys have a plan again');
      return;
    }
    const { id, plan } = lost[0]!;
    const more = lost.length === 1 ? '' : ` (and ${lost.length - 1} more)`;
    this.#problems.fail('plans', `API key ${id}${more} is refused: its plan '${plan}' is not defined`);
  }
}
