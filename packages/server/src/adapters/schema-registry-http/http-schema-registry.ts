/** A registry run by an operator, by URL: Confluent's, Karapace, Apicurio below `/apis/ccompat/v7`, or another platform's. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { SchemaReader } from '@slipway/schemas/formats/registry/schema-reader.ts';
import { schemaChanges } from '@slipway/schemas/formats/schema-changes.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';
import { PortFailure } from '#ports/failure.ts';
import type { CompatibilityLevel, JsonValue, ParsedSchema, ParseResult, SchemaChange } from '#ports/schema.ts';
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
} from '#ports/schema-registry.ts';
import { registryAway } from '#ports/schema-registry.ts';
import { HttpVerdicts } from './http-verdicts.ts';
import { Anything, Content, Level, Made, Names, Numbers, Places, Version } from './registry-api.ts';
import { RegistryClient, segment, type ClientLimits, type RegistryAddress } from './registry-client.ts';
import { registryProbe } from './registry-probe.ts';

export interface HttpSchemaRegistryOptions {
  /** Without a registry, everything in the environment that needs one waits. */
  readonly registries: Partial<Readonly<Record<Environment, RegistryAddress>>>;
  readonly limits?: Partial<ClientLimits>;
}

const bodyOf = ({ type, content, references = [] }: SchemaText): object => ({
  schema: content,
  ...(type === 'AVRO' ? {} : { schemaType: type }),
  ...(references.length === 0 ? {} : { references }),
});
const textOf = ({
  schema,
  schemaType,
  references,
}: Pick<Version, 'schema' | 'schemaType' | 'references'>): SchemaText & Pick<SubjectVersion, 'references'> => ({
  type: schemaType ?? 'AVRO',
  content: schema,
  references: references ?? [],
});
const versionOf = (version: Version, isDeleted = false): SubjectVersion => ({
  ...textOf(version),
  subject: version.subject,
  version: version.version,
  id: version.id,
  isDeleted,
});
const subjectPath = (subject: string, version?: number | 'latest'): string =>
  `/subjects/${segment(subject)}${version === undefined ? '' : `/versions/${version}`}`;

/** Number of subjects queried in parallel. */
const HEADS_AT_ONCE = 8;

export class HttpSchemaRegistry implements SchemaRegistry {
  readonly kind = 'http';
  readonly #options: HttpSchemaRegistryOptions;
  readonly #clients = new Map<Environment, RegistryClient>();
  readonly #reader: SchemaReader;
  readonly #verdicts: HttpVerdicts;

  constructor(options: HttpSchemaRegistryOptions) {
    this.#options = options;
    this.#reader = new SchemaReader({
      byId: (environment, id) => this.byId(environment, id),
      referred: (environment, { subject, version }, isOld) =>
        this.#version(environment, subject, version === -1 ? 'latest' : version, isOld),
    });
    this.#verdicts = new HttpVerdicts({ registry: this, reader: this.#reader, client: (environment) => this.#client(environment), bodyOf });
  }

  info(environment: Environment): RegistryInfo {
    return { url: this.#options.registries[environment]?.url ?? null, takesAccounts: false };
  }

  async subjects(environment: Environment, prefix = ''): Promise<readonly string[]> {
    const query = prefix === '' ? '' : `?subjectPrefix=${segment(prefix)}`;
    const names = await this.#client(environment).ask(Names, { path: `/subjects${query}` });
    // Not every registry supports the parameter.
    return names.filter((name) => name.startsWith(prefix)).sort((a, b) => (a < b ? -1 : 1));
  }

  /** Sends a few requests in parallel, because the API has no bulk operation. */
  async heads(environment: Environment, subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectHead>> {
    const heads = new Map<string, SubjectHead>();
    const registryLevel = this.#client(environment).ask(Level, { path: '/config' });
    const read = async (subject: string): Promise<void> => {
      const newest = await this.version(environment, subject, 'latest');
      if (!newest) return;
      const own = await this.#ownLevel(environment, subject);
      const level = own ?? (await registryLevel).compatibilityLevel;
      heads.set(subject, { version: newest.version, id: newest.id, level, isOwn: own !== undefined });
    };
    await Promise.all([registryLevel, mapLimited(subjects, read, HEADS_AT_ONCE)]);
    return heads;
  }

  async versions(environment: Environment, subject: string): Promise<readonly number[]> {
    const found = await this.#client(environment).find(Numbers, { path: `${subjectPath(subject)}/versions` });
    return (found ?? []).sort((a, b) => a - b);
  }

  version(environment: Environment, subject: string, version: number | 'latest'): Promise<SubjectVersion | undefined> {
    return this.#version(environment, subject, version, false);
  }

  async lookup(environment: Environment, subject: string, schema: SchemaText): Promise<SubjectVersion | undefined> {
    const found = await this.#client(environment).find(Version, { method: 'POST', path: subjectPath(subject), body: bodyOf(schema) });
    return found && versionOf(found);
  }

  async byId(environment: Environment, id: number): Promise<SchemaText | undefined> {
    const found = await this.#client(environment).find(Content, { path: `/schemas/ids/${id}` });
    return found && textOf(found);
  }

  async places(environment: Environment, id: number): Promise<readonly VersionPlace[]> {
    return (await this.#client(environment).find(Places, { path: `/schemas/ids/${id}/versions` })) ?? [];
  }

  /**
   * Registers a version. The registry checks at its own level. Its answer does not say whether the version is new, so this looks the schema
   * up before and after.
   */
  async register(environment: Environment, subject: string, schema: SchemaText, { after }: RegisterOptions = {}): Promise<Registered> {
    const before = await this.lookup(environment, subject, schema);
    if (before) return { id: before.id, version: before.version, isNew: false };
    const newest = (await this.versions(environment, subject)).at(-1) ?? null;
    if (after !== undefined && after !== newest)
      throw new PortFailure('conflict', `Subject ${subject} has version ${newest ?? 'none'} by now`);
    const path = `${subjectPath(subject)}/versions`;
    const made = await this.#client(environment).ask(Made, { method: 'POST', path, body: bodyOf(schema) });
    const version = made.version ?? (await this.lookup(environment, subject, schema))?.version;
    if (version === undefined) throw registryAway(`The schema registry does not find what it registered under ${subject}`);
    return { id: made.id, version, isNew: true };
  }

  check(environment: Environment, subject: string, schema: SchemaText, level?: CompatibilityLevel): Promise<SchemaVerdict> {
    return this.#verdicts.of(environment, subject, schema, level);
  }

  async level(environment: Environment, subject: string): Promise<SubjectLevel> {
    const own = await this.#ownLevel(environment, subject);
    if (own) return { level: own, isOwn: true };
    return { level: (await this.#client(environment).ask(Level, { path: '/config' })).compatibilityLevel, isOwn: false };
  }

  async #ownLevel(environment: Environment, subject: string): Promise<CompatibilityLevel | undefined> {
    return (await this.#client(environment).find(Level, { path: `/config/${segment(subject)}` }))?.compatibilityLevel;
  }

  async setLevel(environment: Environment, subject: string, level: CompatibilityLevel | null): Promise<void> {
    const path = `/config/${segment(subject)}`;
    if (level === null) await this.#client(environment).find(Anything, { method: 'DELETE', path });
    else await this.#client(environment).ask(Anything, { method: 'PUT', path, body: { compatibility: level } });
  }

  /** Permanent deletion takes two steps. Either may already be done. */
  async remove(
    environment: Environment,
    subject: string,
    what: { readonly version?: number; readonly isPermanent?: boolean } = {},
  ): Promise<void> {
    const path = subjectPath(subject, what.version);
    const client = this.#client(environment);
    await client.find(Anything, { method: 'DELETE', path });
    if (what.isPermanent) await client.find(Anything, { method: 'DELETE', path: `${path}?permanent=true` });
  }

  async referencedBy(environment: Environment, subject: string, version: number): Promise<readonly VersionPlace[]> {
    const ids = (await this.#client(environment).find(Numbers, { path: `${subjectPath(subject, version)}/referencedby` })) ?? [];
    const places = await mapLimited(ids, (id) => this.places(environment, id), HEADS_AT_ONCE);
    return places.flat();
  }

  parse(environment: Environment, schema: SchemaText): Promise<ParseResult> {
    return this.#reader.parse(environment, schema);
  }

  changes(before: ParsedSchema, after: ParsedSchema): readonly SchemaChange[] {
    return schemaChanges(before, after);
  }

  parsed(environment: Environment, id: number): Promise<ParsedSchema> {
    return this.#reader.parsed(environment, id);
  }

  decode(environment: Environment, message: Uint8Array): Promise<DecodedMessage> {
    return this.#reader.decode(environment, message);
  }

  encode(environment: Environment, id: number, value: JsonValue): Promise<Uint8Array> {
    return this.#reader.encode(environment, id, value);
  }

  async probe(environment?: Environment): Promise<void> {
    for (const one of environment === undefined ? environments : [environment])
      if (environment !== undefined || this.#options.registries[one]) await this.#client(one).ask(Anything, { path: '/schemas/types' });
  }

  probes(): EngineProbe[] {
    return environments.flatMap((environment) => {
      const address = this.#options.registries[environment];
      return address ? [registryProbe(environment, address)] : [];
    });
  }

  async close(): Promise<void> {}

  /** Includes deleted versions if `isOld`. */
  async #version(
    environment: Environment,
    subject: string,
    version: number | 'latest',
    isOld: boolean,
  ): Promise<SubjectVersion | undefined> {
    const found = await this.#client(environment).find(Version, {
      path: `${subjectPath(subject, version)}${isOld ? '?deleted=true' : ''}`,
    });
    return found && versionOf(found);
  }

  #address(environment: Environment): RegistryAddress {
    const address = this.#options.registries[environment];
    if (!address) throw registryAway(`There is no schema registry for ${environment}`);
    return address;
  }

  #client(environment: Environment): RegistryClient {
    const known = this.#clients.get(environment);
    const client = known ?? new RegistryClient(this.#address(environment), this.#options.limits);
    this.#clients.set(environment, client);
    return client;
  }
}
