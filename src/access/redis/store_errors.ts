/** There is no connection to the shared store any more; whether it has processed the command is unknown. */
export class ConnectionFailure extends Error {
  override readonly name: string = 'ConnectionFailure';
}

/** A {@link ConnectionFailure} due to a missing reply, as opposed to a connection that the store closed or rejected. */
export class Silence extends ConnectionFailure {}

/** A Redis that this program cannot use, now or later. */
export class UnsupportedStore extends Error {
  override readonly name = 'UnsupportedStore';
}

/** The error of a command while the shared store is unavailable. */
export function storeIsAway(): ConnectionFailure {
  return new ConnectionFailure('Redis is unavailable');
}
