/**
 * Implements the registry's rules on top of its tables: one id per content, compatibility levels, modes, references, and two-step deletion.
 */
import type { Pool } from 'pg';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { transaction } from '@slipway/postgres/pool-transaction.ts';
import type { CompatibilityLevel, ParsedSchema } from '@slipway/foundation/ports/schema.ts';
import type { SchemaReference, SchemaText, SchemaVerdict, SubjectVersion } from '@slipway/foundation/ports/schema-registry.ts';
import { judge, refusedVerdict, type Judging } from '../formats/registry/judge.ts';
import { reasonOf, SchemaReader } from '../formats/registry/schema-reader.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import { identityOf } from './identity.ts';
import { removeVersions, type Removal } from './removal.ts';
import { errors } from './registry-error.ts';
import { requireWritable } from './mode.ts';
import * as sql from './registry.sql.ts';

export interface Registration {
  readonly subject: string;
  readonly text: SchemaText;
  /** The newest version that the caller knows, or null for none. Not checked if undefined. */
  readonly after?: number | null | undefined;
  /** `id` and `version` are only for imports. */
  readonly id?: number | undefined;
  readonly version?: number | undefined;
}
/** A parsed schema with its references. */
export interface Candidate {
  readonly schema: ParsedSchema;
  readonly references: readonly SchemaReference[];
  readonly identity: Buffer;
}
interface Registered {
  readonly id: number;
  readonly version: number;
  readonly isNew: boolean;
}

/** Thrown when the newest version is not the one that the caller knows. */
export class NewerVersion extends Error {
  override readonly name = 'NewerVersion';
}

const TRIES = 5;
const liveOf = ({ versions }: sql.SubjectState): readonly sql.VersionRow[] => versions.filter(({ isDeleted }) => !isDeleted);
const isSameState = (a: sql.SubjectState, b: sql.SubjectState): boolean => JSON.stringify(a) === JSON.stringify(b);
const sameAs = (versions: readonly sql.VersionRow[], identity: Buffer): sql.VersionRow | undefined =>
  versions.findLast((row) => row.identity.equals(identity));

export class RegistryStore {
  readonly pool: Pool;
  readonly reader: SchemaReader;

  constructor(pool: Pool) {
    this.pool = pool;
    this.reader = new SchemaReader({
      byId: (environment, id) => sql.selectContent(pool, environment, id),
      referred: (environment, { subject, version }, isOld) =>
        sql.selectVersion(pool, environment, subject, version === -1 ? 'latest' : version, isOld ? 'all' : 'live'),
    });
  }

  /** Parses a schema. Returns problems instead of throwing, so that the caller can show them. */
  async candidate(environment: Environment, text: SchemaText): Promise<Candidate | { readonly problems: SchemaVerdict['problems'] }> {
    const result = await this.reader.parse(environment, text);
    if (!result.ok) return { problems: result.problems };
    const references = await mapLimited(text.references ?? [], (reference) => this.#withVersion(environment, reference));
    return { schema: result.schema, references, identity: identityOf(result.schema, references) };
  }

  async requireCandidate(environment: Environment, text: SchemaText): Promise<Candidate> {
    const found = await this.candidate(environment, text);
    if ('problems' in found) throw errors.invalidSchema(reasonOf({ ok: false, problems: found.problems }));
    return found;
  }

  /** Returns the subject's newest version with this content. */
  async lookup(
    environment: Environment,
    subject: string,
    text: SchemaText,
    which: sql.Which = 'live',
  ): Promise<SubjectVersion | undefined> {
    const { identity } = await this.requireCandidate(environment, text);
    const { versions } = await sql.selectState(this.pool, environment, subject);
    const counted = which === 'live' ? versions.filter(({ isDeleted }) => !isDeleted) : versions;
    const same = sameAs(counted, identity);
    return same && sql.selectVersion(this.pool, environment, subject, same.version, 'all');
  }

  /** Checks compatibility at the subject's level or a given one, against one version or all that the level requires. */
  async verdict(
    environment: Environment,
    subject: string,
    text: SchemaText,
    { level, only }: { readonly level?: CompatibilityLevel | undefined; readonly only?: number } = {},
  ): Promise<SchemaVerdict> {
    const state = await sql.selectState(this.pool, environment, subject);
    const live = liveOf(state);
    const versions = only === undefined ? live : live.filter(({ version }) => version === only);
    const found = await this.candidate(environment, text);
    const judging = judgingOf(environment, level ?? state.level, versions);
    if ('problems' in found) return refusedVerdict(found.problems, judging);
    return judge(this.reader, found.schema, { ...judging, same: sameAs(live, found.identity)?.version });
  }

  /**
   * Reads earlier versions before the transaction. The transaction checks that they are unchanged: it holds a lock on the environment's row
   * and must not need a second connection from the pool.
   */
  async register(environment: Environment, registration: Registration): Promise<Registered> {
    const { subject, text } = registration;
    const candidate = await this.requireCandidate(environment, text);
    for (let tries = 0; tries < TRIES; tries++) {
      const seen = await sql.selectState(this.pool, environment, subject);
      const same = sameAs(liveOf(seen), candidate.identity);
      if (same && isImportOf(registration, same)) return { id: same.id, version: same.version, isNew: false };
      await this.#requireFit(environment, registration, candidate, seen);
      const made = await transaction(this.pool, async (client) => {
        await sql.lockEnvironment(client, environment);
        const now = await sql.selectState(client, environment, subject);
        return isSameState(seen, now) ? insert(client, environment, registration, candidate, now) : undefined;
      });
      if (made) return made;
    }
    throw errors.busy();
  }

  async remove(environment: Environment, removal: Removal): Promise<readonly number[]> {
    return transaction(this.pool, async (client) => {
      await sql.lockEnvironment(client, environment);
      return removeVersions(client, environment, removal);
    });
  }

  /** Saves settings of a subject, or of the registry if `subject` is undefined. */
  async save(
    environment: Environment,
    subject: string | undefined,
    settings: { level?: CompatibilityLevel | null; mode?: sql.RegistryMode | null },
  ): Promise<void> {
    await transaction(this.pool, async (client) => {
      await sql.lockEnvironment(client, environment);
      const { mode } =
        subject === undefined ? await sql.selectDefaults(client, environment) : await sql.selectState(client, environment, subject);
      if (settings.level !== undefined) requireWritable(subject, mode);
      if (subject !== undefined) return sql.saveSettings(client, environment, subject, settings);
      return sql.saveDefaults(client, environment, { level: settings.level ?? undefined, mode: settings.mode ?? undefined });
    });
  }

  async #requireFit(environment: Environment, registration: Registration, candidate: Candidate, seen: sql.SubjectState): Promise<void> {
    const { subject, after, id } = registration;
    const live = liveOf(seen);
    if (after !== undefined && (live.at(-1)?.version ?? null) !== after)
      throw new NewerVersion(`Subject ${subject} has version ${live.at(-1)?.version ?? 'none'} by now`);
    requireWritable(subject, seen.mode);
    if (id === undefined) {
      if (seen.mode === 'IMPORT') throw errors.notPermitted(`Subject ${subject} is in import mode: it takes schemas with an id alone`);
      const { isCompatible, issues } = await judge(this.reader, candidate.schema, judgingOf(environment, seen.level, live));
      if (!isCompatible) throw errors.incompatible(subject, issues.map(detailOf));
    } else if (seen.mode !== 'IMPORT') throw errors.notPermitted(`Subject ${subject} is not in import mode`);
  }

  async #withVersion(environment: Environment, reference: SchemaReference): Promise<SchemaReference> {
    if (reference.version !== -1) return reference;
    const newest = await sql.selectVersion(this.pool, environment, reference.subject, 'latest');
    return { ...reference, version: newest?.version ?? reference.version };
  }
}

/** Formats an issue as one line, like Confluent's registry. */
export const detailOf = ({ code, path, line, message, version, direction }: SchemaVerdict['issues'][number]): string =>
  `{errorType:'${code}', description:'${message}', path:'${path}', line:${line}, version:${version}, direction:'${direction}'}`;

const judgingOf = (environment: Environment, level: CompatibilityLevel, rows: readonly sql.VersionRow[]): Judging => ({
  environment,
  level,
  versions: rows.map(({ version }) => version),
  same: undefined,
  idOf: (version) => rows.find((row) => row.version === version)?.id ?? 0,
});

const isImportOf = ({ id, version }: Registration, same: sql.VersionRow): boolean =>
  (id === undefined || id === same.id) && (version === undefined || version === same.version);

const insert = async (
  db: sql.Db,
  environment: Environment,
  { subject, text, id, version }: Registration,
  { identity, references }: Candidate,
  { versions }: sql.SubjectState,
): Promise<Registered> => {
  for (const reference of references)
    if (!(await sql.selectVersion(db, environment, reference.subject, reference.version)))
      throw errors.invalidSchema(
        `The reference “${reference.name}” leads nowhere: subject “${reference.subject}” has no version ${reference.version}.`,
      );
  const next = version ?? Math.max(0, ...versions.map((row) => row.version)) + 1;
  if (versions.some((row) => row.version === next)) throw errors.notPermitted(`Subject ${subject} has a version ${next} already`);
  const taken = id === undefined ? undefined : await sql.selectIdentity(db, environment, id);
  if (id !== undefined && taken && !taken.equals(identity)) throw errors.idTaken(id);
  const made = await sql.ensureContent(db, environment, { ...text, references, identity, id });
  if (id !== undefined && made !== id) throw errors.otherId(id, made);
  await sql.insertVersion(db, environment, { subject, version: next }, made);
  return { id: made, version: next, isNew: true };
};
