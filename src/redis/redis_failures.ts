/**
 * Why Redis or Valkey cannot be used. The message of a {@link Refusal} is in our words; that of another error reply is the reply,
 * which may quote the command.
 */

/** There is no connection to Redis any more; whether it has processed the command is unknown. */
export class ConnectionFailure extends Error {
  override readonly name: string = 'ConnectionFailure';
}

/** A {@link ConnectionFailure} due to a missing reply, as opposed to a connection that Redis closed or rejected. */
export class Silence extends ConnectionFailure {}

/** A Redis that this program cannot use, now or later. */
export class UnsupportedStore extends Error {
  override readonly name = 'UnsupportedStore';
}

/** An error reply with which Redis refuses more than one command, until its state or its settings change. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** The server has become a replica: another one may be the master. */
  readonly isReplica: boolean;

  constructor(code: string, message: string) {
    super(message);
    this.isReplica = code === 'READONLY';
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  DENIED: 'it is in protected mode',
  LOADING: 'it is loading its data',
  MASTERDOWN: 'it is a replica without its master',
  MISCONF: 'it cannot write to its disk',
  NOAUTH: 'a password is required',
  NOPERM: 'the ACL user lacks a permission',
  NOREPLICAS: 'it has too few replicas',
  OOM: 'it is full',
  READONLY: 'it is read-only',
  WRONGPASS: 'wrong password or user',
};
/** The code of a refusal: not at the beginning in errors of scripts before Redis 7, which have none for missing permissions. */
const REFUSAL = new RegExp(`\\b(?:${Object.keys(REFUSALS).join('|')}|user executing the script)\\b`);

/** The end of an error in a script. */
const SCRIPT = / script: [0-9a-f]{40}, on @user_script:\d+\.$/;

/** The error for an error reply: a {@link Refusal}, or an Error with the reply. */
export function replyError(reply: string): Error {
  const found = REFUSAL.exec(reply)?.[0];
  if (found === undefined) return new Error(reply.replace(SCRIPT, ''));
  const code = found in REFUSALS ? found : 'NOPERM';
  const command = code === 'NOPERM' ? /'([\w|]+)'/.exec(reply)?.[1] : undefined;
  return new Refusal(code, `${REFUSALS[code]} (${code}${command === undefined ? '' : ` ${command}`})`);
}
