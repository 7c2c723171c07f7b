/**
 * Limits for schemas and messages, which users control. Each check counts its steps and fails with a problem instead of blocking the event
 * loop.
 */

export const schemaLimits = {
  /** Per text, in UTF-8. */
  bytes: 1024 * 1024,
  /** Maximum nesting of brackets in JSON, of messages in Protobuf, and of types. */
  depth: 100,
  /** Records, enums, fields, subschemas and messages in a schema and its references together. */
  types: 20_000,
  /** Tokens of a .proto file. */
  words: 250_000,
  references: 100,
  /** Maximum number of problems or issues listed. */
  listed: 100,
  /** Pairs of types per comparison, which takes some tens of milliseconds. */
  steps: 200_000,
  /** Values in the sample that prefills a form. */
  sampleValues: 5000,
  /** Values in one displayed message. */
  values: 100_000,
} as const;

/** Thrown when a schema exceeds a limit. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** Counts steps and throws a LimitError when there are too many. */
export class Budget {
  readonly #limit: number;
  readonly #what: string;
  #spent = 0;

  /** `what` completes the sentence `… has more than 20000 …`. */
  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  spend(steps = 1): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new LimitError(`more than ${this.#limit} ${this.#what}`);
  }
}
