/** The route of streams: validates each part, then reserves all names and starts the pipeline in one transaction. */
import type { Transaction } from 'kysely';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { PlanNote, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { streamCreate } from '@slipway/contract/streaming/stream.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { planOf, runFor, triggerBy, type PipelineDefinition, type PipelineEngine } from '#modules/pipelines/index.ts';
import {
  draftIn,
  DryRunEnded,
  lockEntity,
  pipelineOf,
  recordChange,
  requireCan,
  requireEntity,
  setEntity,
  startOn,
  type AnyEntity,
  type PlanParts,
} from '#modules/resources/index.ts';
import { requireFreeGroup } from '#modules/secret-groups/index.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { Streaming } from '#ports/streaming.ts';
import { schemaOfOthers, topicOfOthers } from '../free-names.ts';
import { requireNone, requireSamePlace } from '../names.ts';
import { prepareSchema } from '../schemas/schema-entity.ts';
import {
  accountOf,
  atPart,
  inPart,
  joinedNames,
  madeNames,
  partNames,
  reserveParts,
  type StreamEntities,
  type StreamInput,
} from './stream-parts.ts';

interface StreamDeps {
  readonly db: Db;
  readonly registry: SchemaRegistry;
  readonly streaming: Streaming;
  readonly engine: PipelineEngine;
  readonly entities: StreamEntities;
  readonly definition: PipelineDefinition<StreamInput, object>;
  readonly stepsWithout: (input: StreamInput) => string[];
}
type Request = Context<typeof streamCreate>;

/** Runs the checks that need no lock. */
const prepared = async (deps: StreamDeps, { params, body, owner, environment }: Request): Promise<StreamInput> => {
  const { app, env } = params;
  const { schema: wanted, topic, account } = body;
  await inPart('topic', (async () => requireSamePlace(topic, { app, environment }))());
  const schema = wanted && (await inPart('schema', prepareSchema(deps, { wanted, names: { app, env } })));
  const place = { app, environment };
  const [ofSchema, ofTopic] = await Promise.all([
    schema ? schemaOfOthers(deps, place, schema.name) : [],
    topicOfOthers(deps, place, topic.name, Boolean(topic.spec.keySchema)),
  ]);
  requireNone([...atPart('schema', ofSchema), ...atPart('topic', ofTopic)]);
  return { app, env, topic: topic.name, team: owner.teamId, wish: { topic, ...(schema && { schema }), ...(account && { account }) } };
};

/** Reports all taken names together, each at its field. */
const requireFreeNames = async (
  trx: Transaction<DB>,
  { entities }: StreamDeps,
  input: StreamInput,
  environment: Request['environment'],
) => {
  const refused: FieldError[] = [];
  for (const part of partNames) {
    const entity: AnyEntity = entities[part];
    const names = madeNames(part, input);
    if (names && (await pipelineOf(trx, entity, names)) !== undefined)
      refused.push({ field: `${part}.${entity.create.field}`, code: entity.resource.shape.codes.taken });
  }
  const { secretGroup } = input.wish.account ?? {};
  if (secretGroup !== undefined)
    await inPart('account', requireFreeGroup(trx, { app: input.app, environment, group: secretGroup })).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      refused.push(...error.errors);
    });
  requireNone(refused);
};

/** Locks an existing account to serialize its changes. */
const requireChangeable = async (trx: Transaction<DB>, { entities }: StreamDeps, input: StreamInput, caller: Caller): Promise<void> => {
  const names = joinedNames(input);
  if (!names) return;
  await lockEntity(trx, entities.account, names);
  const field = 'account.name';
  if ((await pipelineOf(trx, entities.account, names)) === undefined) throw new Problem('AccountDoesNotExist', { field });
  requireCan(await requireEntity(trx, entities.account, names, caller), 'update', field);
};

/** Combines the plans of the parts. */
const planParts = ({ entities, stepsWithout }: StreamDeps, input: StreamInput, { caller, owner }: Request): PlanParts => {
  const { schema, topic, account } = input.wish;
  const names = { app: input.app, env: input.env };
  const call = { caller, names, owner };
  const { valueSchema = { resourceId: schema?.name ?? '', resourceType: 'SCHEMA' as const } } = topic.spec;
  const own = (operation: 'READ' | 'WRITE', code: string): PlanNote[] =>
    account?.operations.includes(operation) ? [{ code, context: { topic: physicalName(input.app, topic.name) } }] : [];
  const parts: (PlanParts | undefined)[] = [
    schema && entities.schema.plan?.create({ ...call, wanted: schema }),
    entities.topic.plan?.create({ ...call, wanted: { ...topic, spec: { ...topic.spec, valueSchema } } }),
    account?.isNew
      ? entities.account.plan?.create({ ...call, wanted: accountOf(account, topic.name) })
      : { consequences: [...own('WRITE', 'MayWriteTopic'), ...own('READ', 'MayReadTopic')] },
  ];
  return {
    consequences: parts.flatMap((part) => part?.consequences ?? []),
    warnings: parts.flatMap((part) => part?.warnings ?? []),
    skips: stepsWithout(input),
  };
};

/** Records each part's creation in its own activity, as if it were created alone. */
const record = async (trx: Transaction<DB>, { entities }: StreamDeps, input: StreamInput, caller: Caller, pipelineId: string) => {
  const { schema, topic, account } = input.wish;
  const said = {
    schema: schema && { name: schema.name, type: schema.type, compatibility: schema.compatibility },
    topic,
    account,
  };
  for (const part of partNames) {
    const names = madeNames(part, input);
    if (!names) continue;
    await setEntity(trx, entities[part], names, { pipeline_id: pipelineId });
    const { resource } = entities[part];
    const change = { caller, names, team: input.team, title: names[part] ?? '', pipelineId, after: said[part] };
    await recordChange(trx, resource, resource.create, change);
  }
  const joined = joinedNames(input);
  if (!joined || !account) return;
  await setEntity(trx, entities.account, joined, { pipeline_id: pipelineId });
  const { resource } = entities.account;
  const after = { topic: topic.name, operations: account.operations };
  await recordChange(trx, resource, resource.update, { caller, names: joined, team: input.team, title: account.name, pipelineId, after });
};

const create = async (deps: StreamDeps, c: Request): Promise<PlanOrRun> => {
  const { db, engine, entities, definition } = deps;
  const { caller } = c;
  const input = await prepared(deps, c);
  const names = { app: input.app, env: input.env, topic: input.topic };
  const subject = subjectOf(topicKind, names, { team: input.team });
  try {
    const pipelineId = await transaction(db, async (trx) => {
      await requireChangeable(trx, deps, input, caller);
      await requireFreeNames(trx, deps, input, c.environment);
      await reserveParts({ trx, entities, input, by: caller });
      if (c.query.dryRun) throw new DryRunEnded(subjectKey(subject), draftIn(names, definition, planParts(deps, input, c)));
      const started = { names, definition, input, subject, createdBy: caller, trigger: triggerBy(caller) };
      const id = await startOn(engine, trx, entities.topic, started);
      await record(trx, deps, input, caller, id);
      return id;
    });
    return await runFor(db, pipelineId, caller);
  } catch (error) {
    if (error instanceof DryRunEnded) return planOf(db, error.lock, error.draft);
    throw error;
  }
};

export const streamRoutes = (deps: StreamDeps): Handler[] => [handle(streamCreate, (c) => create(deps, c))];
