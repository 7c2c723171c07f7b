/**
 * Parses schemas with their references from a registry, and decodes messages by their schema ids. The schema of an id never changes, so it
 * is cached.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { JsonValue, ParsedSchema, ParseResult } from '@slipway/foundation/ports/schema.ts';
import type { DecodedMessage, SchemaReference, SchemaText } from '@slipway/foundation/ports/schema-registry.ts';
import { errorMessage } from '@slipway/foundation/caught.ts';
import { readFrame, writeFrame } from '../message-frame.ts';
import { MessageError, type SchemaReference as ReferredSchema } from '../schema-format.ts';
import { ParsedCache } from './parsed-cache.ts';

/** Loads schemas from a registry. */
export interface SchemaSource {
  byId(environment: Environment, id: number): Promise<SchemaText | undefined>;
  /** Loads a referenced version. With `isOld`, includes deleted versions, since registered schemas stay readable. */
  referred(environment: Environment, reference: SchemaReference, isOld: boolean): Promise<SchemaText | undefined>;
}

const problemAtStart = (message: string): ParseResult => ({
  ok: false,
  problems: [{ path: '', line: 1, column: 1, from: 0, to: 0, message }],
});

/** Loading the parsers and their libraries takes a tenth of a second, which must not delay the platform's start. */
const loadParsers = () => import('../parse-schema.ts');

export class SchemaReader {
  readonly #source: SchemaSource;
  readonly #parsed = new ParsedCache();

  constructor(source: SchemaSource) {
    this.#source = source;
  }

  parse(environment: Environment, text: SchemaText): Promise<ParseResult> {
    return this.#parse(environment, text, false);
  }

  async parsed(environment: Environment, id: number): Promise<ParsedSchema> {
    const kept = this.#parsed.get(environment, id);
    if (kept) return kept;
    const text = await this.#source.byId(environment, id);
    if (!text) throw new PortFailure('notFound', `The schema registry of ${environment} has no schema ${id}`);
    const result = await this.#parse(environment, text, true);
    if (!result.ok)
      throw new PortFailure('rejected', `Schema ${id} cannot be read`, { code: 'SchemaInvalid', context: { reason: reasonOf(result) } });
    this.#parsed.keep(environment, id, result.schema);
    return result.schema;
  }

  async decode(environment: Environment, message: Uint8Array): Promise<DecodedMessage> {
    const frame = readFrame(message);
    if (!frame) return { state: 'UNFRAMED' };
    const { schemaId, body } = frame;
    try {
      const schema = await this.parsed(environment, schemaId);
      return { state: 'DECODED', schemaId, schema, value: schema.decode(body) };
    } catch (error) {
      if (error instanceof PortFailure && error.kind === 'unavailable') throw error;
      const reason =
        error instanceof PortFailure || error instanceof MessageError
          ? error.message
          : `It does not fit its schema: ${errorMessage(error)}`;
      return { state: 'UNREADABLE', schemaId, reason };
    }
  }

  async encode(environment: Environment, id: number, value: JsonValue): Promise<Uint8Array> {
    const schema = await this.parsed(environment, id);
    try {
      return writeFrame(id, schema.encode(value));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      throw new PortFailure('rejected', error.message, {
        code: 'MessageInvalid',
        context: { path: error.path, reason: error.message },
        cause: error,
      });
    }
  }

  async #parse(environment: Environment, { type, content, references = [] }: SchemaText, isOld: boolean): Promise<ParseResult> {
    const gathered = new Gathering(environment, this.#source, isOld);
    const referred = await gathered.all(references, 0);
    if (gathered.problem !== undefined) return problemAtStart(gathered.problem);
    const { parseSchema } = await loadParsers();
    return parseSchema(type, content, referred);
  }
}

export const reasonOf = (result: ParseResult): string =>
  result.ok
    ? ''
    : result.problems
        .slice(0, 3)
        .map(({ line, message }) => `Line ${line}: ${message}`)
        .join(' ');

const DEPTH = 20;
const MOST_REFERENCES = 100;

/** Collects all transitive references of a schema. Reads each version once. */
class Gathering {
  readonly #environment: Environment;
  readonly #source: SchemaSource;
  readonly #isOld: boolean;
  readonly #found = new Map<string, ReferredSchema>();
  problem: string | undefined;

  constructor(environment: Environment, source: SchemaSource, isOld: boolean) {
    this.#environment = environment;
    this.#source = source;
    this.#isOld = isOld;
  }

  async all(references: readonly SchemaReference[], depth: number): Promise<ReferredSchema[]> {
    if (depth > DEPTH) this.problem = `References are nested more than ${DEPTH} deep.`;
    const made: ReferredSchema[] = [];
    for (const reference of references) {
      if (this.problem !== undefined) return [];
      made.push(await this.#one(reference, depth));
    }
    return made;
  }

  async #one(reference: SchemaReference, depth: number): Promise<ReferredSchema> {
    const { name, subject, version } = reference;
    const key = JSON.stringify([name, subject, version]);
    const known = this.#found.get(key);
    if (known) return known;
    if (this.#found.size >= MOST_REFERENCES) this.problem = `There are more than ${MOST_REFERENCES} references.`;
    const text = await this.#source.referred(this.#environment, reference, this.#isOld);
    if (!text) this.problem = `The reference “${name}” leads nowhere: subject “${subject}” has no version ${version}.`;
    const made = { name, content: text?.content ?? '', references: await this.all(text?.references ?? [], depth + 1) };
    this.#found.set(key, made);
    return made;
  }
}
