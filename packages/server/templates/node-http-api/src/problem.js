// Errors as the client sees them: application/problem+json (RFC 9457).
import { STATUS_CODES } from 'node:http';

/** Throw it anywhere in a handler. `errors` lists what is wrong with which field. */
export class Problem extends Error {
  constructor(status, detail, { errors, headers = {} } = {}) {
    super(detail);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }

  toJSON() {
    return { type: 'about:blank', title: STATUS_CODES[this.status], status: this.status, detail: this.message, errors: this.errors };
  }
}
