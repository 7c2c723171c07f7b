/** Routes and pipelines of schemas: those of the kernel, plus a verdict before every change, and versions. */
import { sql } from 'kysely';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { schemaDriftView, schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import { schemaSampleView } from '@slipway/contract/streaming/schema-sample.ts';
import { schemaCompatibilityCheck, schemaDraftCheck } from '@slipway/contract/streaming/schema-verdict.ts';
import { schemaList, SchemaUpdate, schemaVersionList, schemaVersionView, SchemaVersion } from '@slipway/contract/streaming/schema.ts';
import type * as z from 'zod/mini';
import type { Db } from '#db/database.ts';
import { handle, type Context, type Handler } from '#kernel/http/handle.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import type { PipelineEngine } from '#modules/pipelines/index.ts';
import { entityPage, resourceModule, settleDrift, settlePipeline } from '#modules/resources/index.ts';
import type { Streaming } from '#ports/streaming.ts';
import { withIds, type Place } from '../names.ts';
import type { StreamingUsers } from '../streaming-users.ts';
import { schemaSettling } from './put-back.ts';
import { resolveUses } from './references.ts';
import { schemaEntity, type SchemaEntityDeps } from './schema-entity.ts';
import { noteViews, schemaDrift } from './schema-drift.ts';
import { sampleSchema } from './message-sample.ts';
import { schemaRow, textOf, topicsOf, type SchemaRow } from './schema-rows.ts';
import { draftVerdict, firstVerdict } from './verdict.ts';

export interface SchemaAreaDeps extends SchemaEntityDeps {
  readonly streaming: Streaming;
  readonly engine: PipelineEngine;
  readonly users: StreamingUsers;
}
interface InSchema {
  readonly params: { readonly app: string; readonly env: string; readonly schema: string };
}

const requireRow = async (db: Db, { params }: InSchema): Promise<SchemaRow> => {
  const row = await schemaRow(db, params);
  if (!row) throw new Problem('SchemaDoesNotExist');
  return row;
};
const placeOf = ({ app_id: app, environment }: SchemaRow): Place => ({ app, environment });

/** Rejects incompatible changes before a pipeline starts. If the registry is unavailable, the pipeline waits and validates later. */
const requireGood = async (deps: SchemaAreaDeps, row: SchemaRow, wanted: SchemaUpdate): Promise<void> => {
  if (row.state !== 'ACTIVE' || wanted.revisionId !== row.revision_id) return;
  const uses = wanted.references ? await resolveUses(deps.db, placeOf(row), wanted.references) : row.uses;
  const level = wanted.compatibility ?? row.compatibility;
  const verdict = await draftVerdict(deps, row, { content: wanted.content, level, uses });
  if (verdict.problems.length > 0)
    throw Problem.fields(
      verdict.problems.map(({ line, message }) => ({
        field: 'content',
        code: 'SchemaInvalid',
        context: { line: String(line), reason: message },
      })),
    );
  const [issue] = verdict.issues;
  if (verdict.state === 'INCOMPATIBLE')
    throw new Problem('SchemaIncompatible', {
      field: 'content',
      context: { line: String(issue?.line ?? ''), reason: issue?.message ?? '', subject: issue?.subject ?? row.subject, level },
    });
  if (verdict.state === 'NOT_CHECKED' || wanted.content === row.content) return;
  const same = await deps.registry.lookup(row.environment, row.subject, textOf(row.type, wanted.content, uses));
  if (same && same.version !== row.revision_id)
    throw new Problem('SchemaVersionExists', { field: 'content', context: { version: String(same.version) } });
};

/** Runs a check before the kernel's write. */
const before =
  (check: (c: Context<RouteShape>) => Promise<void>) =>
  (handler: Handler): Handler => ({
    ...handler,
    answer: async (c: never) => {
      await check(c);
      return handler.answer(c);
    },
  });

/** Throws if topics use the schema. The error names them. */
const requireUnused = async (db: Db, row: SchemaRow | undefined): Promise<void> => {
  const topics = row ? await topicsOf(db, row.id) : [];
  if (topics.length === 0) return;
  const names = topics.map(({ applicationCode, topic, part }) => `${applicationCode}.${topic} (${part})`);
  throw new Problem('SCHEMA_IS_REFERENCED_BY_TOPICS', { context: { topics: names.join(', ') } });
};

type Version = z.infer<typeof SchemaVersion>;
interface VersionRow {
  readonly version: number;
  readonly registry_id: number | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly created_by_name: string;
}
const versionView = (row: VersionRow, newest: number | null): Version => ({
  revisionId: row.version,
  registryId: row.registry_id,
  isNewest: row.version === newest,
  createdAt: row.created_at.toISOString(),
  createdBy: { id: row.created_by, displayName: row.created_by_name },
});
const versionPage = async (db: Db, row: SchemaRow, query: { readonly page: number; readonly size: number }): Promise<Page<Version>> => {
  const total = await countTotal(db, sql`select 1 from event_schema_version where schema_id = ${row.id}`);
  const rows = await db
    .selectFrom('event_schema_version')
    .selectAll()
    .where('schema_id', '=', row.id)
    .orderBy('version', 'desc')
    .limit(query.size)
    .offset(query.page * query.size)
    .execute();
  return pageOf(
    rows.map((one) => versionView(one, row.revision_id)),
    total,
    query,
  );
};
const MAX_VERSION = 2_147_483_647;

const ownRoutes = (deps: SchemaAreaDeps): Handler[] => {
  const { db } = deps;
  return [
    handle(schemaVersionList, async (c) => versionPage(db, await requireRow(db, c), c.query)),
    handle(schemaVersionView, async (c) => {
      const row = await requireRow(db, c);
      const version = /^\d{1,10}$/.test(c.params.version) ? Number(c.params.version) : 0;
      const found = await db
        .selectFrom('event_schema_version')
        .selectAll()
        .where('schema_id', '=', row.id)
        .where('version', '=', Math.min(version, MAX_VERSION))
        .executeTakeFirst();
      if (!found) throw new Problem('SchemaVersionDoesNotExist');
      return { ...versionView(found, row.revision_id), type: row.type, content: found.content, references: found.uses };
    }),
    handle(schemaSampleView, async (c) => sampleSchema(deps, await requireRow(db, c))),
    handle(
      schemaCompatibilityCheck,
      (c) => verdictOf(deps, c),
      (c) => verdictOf(deps, c),
    ),
  ];
};
const verdictOf = async (deps: SchemaAreaDeps, c: Context<typeof schemaCompatibilityCheck>) => {
  const row = await requireRow(deps.db, c);
  const { content, compatibility: level = row.compatibility, references } = c.body;
  const uses = references ? await resolveUses(deps.db, placeOf(row), references) : row.uses;
  return draftVerdict(deps, row, { content, level, uses });
};
const firstVerdictOf = async (deps: SchemaAreaDeps, c: Context<typeof schemaDraftCheck>) => {
  const { type, content, references = [] } = c.body;
  const uses = await resolveUses(deps.db, { app: c.params.app, environment: c.environment }, references);
  return firstVerdict(deps, c.environment, type, { content, level: 'BACKWARD', uses });
};

export const schemaParts = (deps: SchemaAreaDeps) => {
  const { db } = deps;
  const entity = schemaEntity(deps);
  const area = resourceModule(deps, entity);
  const { view, create, update, remove } = area.handlers;
  const settling = schemaSettling(deps, entity);
  const pipeline = settlePipeline(db, settling);
  const list = handle(schemaList, async ({ params, query, caller }) => {
    const page = await entityPage(db, entity, { names: params, query, caller });
    await noteViews(
      db,
      page.content.map(({ id }) => id),
    );
    return page;
  });
  const viewed = before(async (c) => {
    const row = await schemaRow(db, c.params);
    if (row) await noteViews(db, [row.id]);
  });
  const drifts = [
    handle(schemaDriftView, (c) => schemaDrift(deps, c.params)),
    handle(schemaReconcile, (c) => settleDrift(deps, settling, pipeline, c)),
  ];
  const checked = before(async (c) => {
    const row = await schemaRow(db, c.params);
    if (row) await requireGood(deps, row, SchemaUpdate.parse(c.body));
  });
  const unused = before(async (c) => requireUnused(db, await schemaRow(db, c.params)));
  const addressed = withIds(db, 'schema');
  const change = checked(update);
  return {
    entity,
    pipelines: [...area.pipelines, pipeline],
    writes: { schemaCreate: create, schemaUpdate: change },
    routes: [
      list,
      create,
      ...[viewed(view), change, unused(remove), ...ownRoutes(deps), ...drifts].map(addressed),
      handle(
        schemaDraftCheck,
        (c) => firstVerdictOf(deps, c),
        (c) => firstVerdictOf(deps, c),
      ),
    ],
  };
};
