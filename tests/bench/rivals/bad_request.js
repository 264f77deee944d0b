/** A client error, returned as 400. */
export class BadRequest extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
