import { ServiceError } from '../common/errors.ts';

/** An invalid request with a more specific status than 400. */
export class InvalidRequest extends ServiceError {
  readonly status: 413 | 414 | 415;

  constructor(status: 413 | 414 | 415, message: string) {
    super('INVALID_PARAMETER', message);
    this.status = status;
  }
}
