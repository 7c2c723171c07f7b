/** What a schema may ask of the platform. Schemas and messages are strangers' bytes: each check counts its steps, and ends with a problem instead of a pause. */

export const schemaLimits = {
  /** Of one text, in UTF-8. */
  bytes: 1024 * 1024,
  /** Of brackets in JSON, of messages in Protobuf, and of types within types. */
  depth: 100,
  /** Records, enums, fields, subschemas, messages: what a schema and its references hold together. */
  types: 20_000,
  /** Names, numbers and signs of a .proto file. */
  words: 250_000,
  references: 100,
  /** Problems or issues that are listed. */
  listed: 100,
  /** Pairs of types that one comparison looks at; some tens of milliseconds. */
  steps: 200_000,
  /** Values in the sample that a form begins with. */
  sampleValues: 5000,
  /** Values in one message that is shown. */
  values: 100_000,
} as const;

/** The work asked for is more than a schema may ask. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** Counts steps. */
export class Budget {
  readonly #limit: number;
  readonly #what: string;
  #spent = 0;

  /** `what` finishes the sentence `… has more than 20000 …`. */
  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  spend(steps = 1): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new LimitError(`more than ${this.#limit} ${this.#what}`);
  }
}
