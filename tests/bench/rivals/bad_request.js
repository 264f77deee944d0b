/** A fault of the caller, answered with 400. */
export class BadRequest extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
