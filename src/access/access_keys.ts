import { messageOf } from '../common/message_of.ts';
import type { AccessLists } from './access_files.ts';
import type { KnownKeys } from './authorise.ts';
import type { MarketplaceHeaders } from './credentials.ts';
import { keyDigest, keyId } from './key_format.ts';
import { type ApiKey, KeyIndex, type Sha256 } from './key_index.ts';
import type { ListedKey } from './key_list.ts';
import { limitsOf, type WorkerShare } from './plan.ts';
import type { AccessTopic, ProblemLog } from './problem_log.ts';
import type { Source, StoredKeys, StoredToken } from './stored_token.ts';
import { type Account, newAccount } from './usage.ts';

/** Where keys and plans come from. */
export interface KeySources {
  readonly lists: Source<AccessLists>;
  readonly tokens: Source<StoredKeys>;
  /** For the keys in requests; one that reuses its buffer saves 5 % of `authorise`. */
  readonly sha256?: Sha256 | undefined;
}

export interface KeySettings {
  /** Whether a source of keys is configured, even one without any: the server then never serves without a key. */
  readonly hasKeySource: boolean;
  readonly marketplace: MarketplaceHeaders | null;
  readonly worker: WorkerShare;
}

interface Loaded<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/** Keys and plans as they were read at one time; a change replaces the whole. Accounts continue from one to the next. */
interface Snapshot extends KnownKeys {
  readonly lists: Loaded<AccessLists>;
  readonly tokens: Loaded<StoredKeys>;
  readonly accounts: ReadonlyMap<string, Account>;
  /** Whether a key source is configured, or there has ever been a key: removing the last one does not open the server. */
  readonly isKeyed: boolean;
}

/** The keys and plans in force. What can no longer be read is reported and stays in force as it was. */
export class AccessKeys {
  readonly #settings: KeySettings;
  readonly #sources: KeySources;
  readonly #problems: ProblemLog;
  #current: Snapshot;

  /** Throws for what cannot be read: a server must not start without its keys. */
  constructor(settings: KeySettings, sources: KeySources, problems: ProblemLog) {
    this.#settings = settings;
    this.#sources = sources;
    this.#problems = problems;
    this.#current = this.#snapshot(load(sources.lists), load(sources.tokens), undefined);
  }

  get current(): Snapshot {
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

  /** Rereads what has changed, or everything; without a change it costs a few system calls. */
  refresh(isForced = false): void {
    const { lists, tokens } = this.#current;
    const newLists = this.#reread('files', this.#sources.lists, lists, isForced);
    const newTokens = this.#reread('tokens', this.#sources.tokens, tokens, isForced);
    if (newLists !== lists || newTokens !== tokens)
      this.#current = this.#snapshot(newLists, newTokens, this.#current);
  }

  #reread<Value>(
    topic: AccessTopic,
    source: Source<Value>,
    former: Loaded<Value>,
    isForced: boolean,
  ): Loaded<Value> {
    const subject = topic === 'files' ? 'Key and plan files' : 'Stored API keys';
    try {
      const loaded = isForced || source.stamp() !== former.stamp ? load(source) : former;
      this.#problems.solve(topic, `${subject} can be read again`);
      return loaded;
    } catch (error) {
      this.#problems.fail(topic, `${messageOf(error)}; the previous keys and plans stay in force`);
      return former;
    }
  }

  #snapshot(lists: Snapshot['lists'], tokens: Snapshot['tokens'], former: Snapshot | undefined): Snapshot {
    const { marketplace, worker, hasKeySource } = this.#settings;
    const limits = new Map([...lists.value.plans].map(([name, plan]) => [name, limitsOf(plan, worker)]));
    const accounts = new Map<string, Account>();
    const apiKey = (key: Omit<ApiKey, 'limits' | 'account'>): ApiKey => {
      const account = accounts.get(key.id) ?? former?.accounts.get(key.id) ?? newAccount(key.id);
      accounts.set(key.id, account);
      return { ...key, limits: limits.get(key.plan), account };
    };
    const listed = (keys: readonly ListedKey[], kind: string) =>
      keys.map(({ key, role = 'client', plan }, index) => {
        const digest = keyDigest(key);
        const id = keyId(key) ?? `${kind}-${digest.toString('hex', 0, 8)}`;
        const label = `${kind}-${index + 1}`;
        return apiKey({
          id,
          label,
          digest,
          role,
          plan,
          isSuspended: false,
          expiresMs: Number.POSITIVE_INFINITY,
        });
      });
    const direct = [
      ...tokens.value.tokens.flatMap(token => acceptedKeys(token).map(apiKey)),
      ...listed(lists.value.keys, 'key'),
    ];
    const subscriptions = listed(lists.value.marketplaceKeys, 'marketplace');
    this.#reportMissingPlans(direct);
    const { sha256 } = this.#sources;
    return {
      lists,
      tokens,
      accounts,
      isKeyed: former?.isKeyed === true || hasKeySource || tokens.value.hasEverHeld || direct.length > 0,
      direct: new KeyIndex(direct, sha256),
      marketplace:
        marketplace === null ? undefined : { ...marketplace, keys: new KeyIndex(subscriptions, sha256) },
    };
  }

  #reportMissingPlans(keys: readonly ApiKey[]): void {
    const [first, ...more] = keys.filter(({ limits }) => limits === undefined);
    if (first === undefined) {
      this.#problems.solve('plans', 'The plans of all API keys are defined again');
      return;
    }
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    this.#problems.fail(
      'plans',
      `API key ${first.id}${others} is rejected: its plan '${first.plan}' is not defined`,
    );
  }
}

/** The keys of a stored token: one, or two after a rotation. Both count for the same account. */
function acceptedKeys({ id, digest, role, plan, suspendedMs, expiresMs, former }: StoredToken) {
  const endMs = expiresMs ?? Number.POSITIVE_INFINITY;
  const key = { id, label: id, digest, role, plan, isSuspended: suspendedMs !== null, expiresMs: endMs };
  if (former === null) return [key];
  return [key, { ...key, digest: former.digest, expiresMs: Math.min(endMs, former.expiresMs) }];
}

function load<Value>(source: Source<Value>): Loaded<Value> {
  const stamp = source.stamp(); // before reading: a change in between is then read again
  return { stamp, value: source.read() };
}
