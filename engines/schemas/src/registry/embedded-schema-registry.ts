/** The embedded schema registry: rows in the platform's database, and Confluent's HTTP API below `/schema-registry/{environment}/`. */
import type { Pool } from 'pg';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { schemaChanges } from '../formats/schema-changes.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import type { CompatibilityLevel, JsonValue, ParsedSchema, ParseResult, SchemaChange } from '@slipway/foundation/ports/schema.ts';
import type {
  DecodedMessage,
  Registered,
  RegisterOptions,
  RegistryInfo,
  SchemaRegistry,
  SchemaText,
  SchemaVerdict,
  SubjectHead,
  SubjectLevel,
  SubjectVersion,
  VersionPlace,
} from '@slipway/foundation/ports/schema-registry.ts';
import { requireSubject } from './grammar.ts';
import { portErrors } from './port-errors.ts';
import { RegistryStore } from './registry-store.ts';
import * as sql from './registry.sql.ts';
import type { RegistrySignIn } from './rest/caller.ts';
import { PREFIX, RegistryRouter } from './rest/router.ts';

export interface EmbeddedSchemaRegistryOptions {
  /** The caller owns the pool. `close()` does not end it. */
  readonly pool: Pool;
  /** The platform's origin, as clients see it. */
  readonly publicUrl: string;
  readonly signIn: RegistrySignIn;
  readonly log: Log;
}

const EVERYTHING = { offset: 0, limit: 1_000_000 };

export class EmbeddedSchemaRegistry implements SchemaRegistry {
  readonly kind = 'embedded';
  readonly mount: HttpMount;
  readonly #publicUrl: string;
  readonly #store: RegistryStore;

  constructor({ pool, publicUrl, signIn, log }: EmbeddedSchemaRegistryOptions) {
    this.#publicUrl = publicUrl;
    this.#store = new RegistryStore(pool);
    this.mount = new RegistryRouter({ store: this.#store, signIn, log }).mount;
  }

  info(environment: Environment): RegistryInfo & { readonly url: string } {
    return { url: `${this.#publicUrl}${PREFIX}${environment}`, takesAccounts: true };
  }

  subjects(environment: Environment, prefix = ''): Promise<readonly string[]> {
    return portErrors(() => sql.selectSubjects(this.#store.pool, environment, prefix, 'live', EVERYTHING));
  }

  heads(environment: Environment, subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectHead>> {
    return portErrors(() => sql.selectHeads(this.#store.pool, environment, subjects));
  }

  async versions(environment: Environment, subject: string): Promise<readonly number[]> {
    const { versions } = await portErrors(() => sql.selectState(this.#store.pool, environment, subject));
    return versions.filter(({ isDeleted }) => !isDeleted).map(({ version }) => version);
  }

  version(environment: Environment, subject: string, version: number | 'latest'): Promise<SubjectVersion | undefined> {
    return portErrors(() => sql.selectVersion(this.#store.pool, environment, subject, version));
  }

  lookup(environment: Environment, subject: string, schema: SchemaText): Promise<SubjectVersion | undefined> {
    return portErrors(() => this.#store.lookup(environment, subject, schema));
  }

  byId(environment: Environment, id: number): Promise<SchemaText | undefined> {
    return portErrors(() => sql.selectContent(this.#store.pool, environment, id));
  }

  places(environment: Environment, id: number): Promise<readonly VersionPlace[]> {
    return portErrors(() => sql.selectPlaces(this.#store.pool, environment, id, 'live'));
  }

  register(environment: Environment, subject: string, text: SchemaText, { after }: RegisterOptions = {}): Promise<Registered> {
    return portErrors(() => this.#store.register(environment, { subject: requireSubject(subject), text, after }));
  }

  check(environment: Environment, subject: string, text: SchemaText, level?: CompatibilityLevel): Promise<SchemaVerdict> {
    return portErrors(() => this.#store.verdict(environment, subject, text, { level }));
  }

  async level(environment: Environment, subject: string): Promise<SubjectLevel> {
    const { level, ownLevel } = await portErrors(() => sql.selectState(this.#store.pool, environment, subject));
    return { level, isOwn: ownLevel !== null };
  }

  setLevel(environment: Environment, subject: string, level: CompatibilityLevel | null): Promise<void> {
    return portErrors(() => this.#store.save(environment, requireSubject(subject), { level }));
  }

  async remove(
    environment: Environment,
    subject: string,
    what: { readonly version?: number; readonly isPermanent?: boolean } = {},
  ): Promise<void> {
    const removal = { subject, version: what.version, isPermanent: what.isPermanent ?? false, isForced: true };
    await portErrors(() => this.#store.remove(environment, removal));
  }

  async referencedBy(environment: Environment, subject: string, version: number): Promise<readonly VersionPlace[]> {
    const found = await portErrors(() => sql.selectReferrers(this.#store.pool, environment, subject, [version], 'live'));
    return found.map((place) => ({ subject: place.subject, version: place.version }));
  }

  parse(environment: Environment, schema: SchemaText): Promise<ParseResult> {
    return portErrors(() => this.#store.reader.parse(environment, schema));
  }

  changes(before: ParsedSchema, after: ParsedSchema): readonly SchemaChange[] {
    return schemaChanges(before, after);
  }

  parsed(environment: Environment, id: number): Promise<ParsedSchema> {
    return portErrors(() => this.#store.reader.parsed(environment, id));
  }

  decode(environment: Environment, message: Uint8Array): Promise<DecodedMessage> {
    return portErrors(() => this.#store.reader.decode(environment, message));
  }

  encode(environment: Environment, id: number, value: JsonValue): Promise<Uint8Array> {
    return portErrors(() => this.#store.reader.encode(environment, id, value));
  }

  async probe(): Promise<void> {
    await portErrors(() => this.#store.pool.query('select from schema_registry limit 1'));
  }

  async close(): Promise<void> {}
}
