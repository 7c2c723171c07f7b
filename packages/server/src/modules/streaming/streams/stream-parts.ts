/**
 * Rows of a stream's parts. A request reserves all names together, and a rerun reserves them again. If the pipeline fails, the names are
 * released, so that the same form can be submitted again.
 */
import type { Transaction } from 'kysely';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { AccountCreate } from '@slipway/contract/streaming/account.ts';
import type { TopicReference } from '@slipway/contract/streaming/grant.ts';
import type { StreamAccount, StreamCreate } from '@slipway/contract/streaming/stream.ts';
import { Environment } from '@slipway/contract/kernel/fields.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { lockEntity, reserveWithin, type Names, type Part } from '#modules/resources/index.ts';
import { insertAccount, type accountEntity } from '../accounts/account-entity.ts';
import { requireAccount } from '../accounts/account-rows.ts';
import { addGrant, namedTopics } from '../grants/index.ts';
import type { Inserting } from '../names.ts';
import { insertSchema, type PreparedSchema, type schemaEntity } from '../schemas/schema-entity.ts';
import { schemaRow } from '../schemas/schema-rows.ts';
import { insertTopic, type topicEntity } from '../topics/topic-entity.ts';

export interface StreamEntities {
  readonly schema: ReturnType<typeof schemaEntity>;
  readonly topic: ReturnType<typeof topicEntity>;
  readonly account: ReturnType<typeof accountEntity>;
}
export type PartName = keyof StreamEntities;
export const partNames: readonly PartName[] = ['schema', 'topic', 'account'];

/** The request, with the schema's resolved references. */
export interface StreamWish extends Pick<StreamCreate, 'topic' | 'account'> {
  readonly schema?: PreparedSchema | undefined;
}
/** Pipeline input. Contains the request, so that a rerun can reserve the names again. */
export interface StreamInput {
  readonly app: string;
  readonly env: string;
  readonly topic: string;
  /** Team that owns the app. */
  readonly team: string;
  readonly wish: StreamWish;
}
type By = Inserting<unknown>['caller'];

/** Returns the path parameters of a part that the stream creates. Undefined if it has none; an existing account is not created. */
export const madeNames = (part: PartName, { app, env, wish }: StreamInput): Names | undefined => {
  const name = { schema: wish.schema?.name, topic: wish.topic.name, account: wish.account?.isNew ? wish.account.name : undefined }[part];
  return name === undefined ? undefined : { app, env, [part]: name };
};
/** Returns the path parameters of an existing account that the stream uses. */
export const joinedNames = ({ app, env, wish }: StreamInput): Names | undefined =>
  wish.account && !wish.account.isNew ? { app, env, account: wish.account.name } : undefined;

const listsOf = ({ operations }: StreamAccount, topic: string): { produceTopics: TopicReference[]; consumeTopics: TopicReference[] } => {
  const own = [{ resourceId: topic, resourceType: 'TOPIC' as const }];
  return { produceTopics: operations.includes('WRITE') ? own : [], consumeTopics: operations.includes('READ') ? own : [] };
};
/** Returns the request for a new account, as the account form would send it. */
export const accountOf = (account: StreamAccount, topic: string): AccountCreate => {
  const { name, description, secretGroup } = account;
  return { name, description, ...(secretGroup === undefined ? {} : { secretGroup }), ...listsOf(account, topic) };
};

export const atPart = (part: PartName, errors: readonly FieldError[]): FieldError[] =>
  errors.map((one) => (one.field === undefined ? one : { ...one, field: `${part}.${one.field}` }));
/** Prefixes the fields of errors with the part's name. */
export const inPart = async <T>(part: PartName, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.every(({ field }) => field === undefined)) throw error;
    const [first, ...others] = atPart(part, error.errors);
    if (first && others.length === 0) throw new Problem(error.code, { ...first, cause: error });
    throw Problem.fields(first ? [first, ...others] : []);
  }
};

interface Reserving {
  readonly trx: Transaction<DB>;
  readonly entities: StreamEntities;
  readonly input: StreamInput;
  readonly by: By;
  /** Undefined before the pipeline exists. */
  readonly pipelineId?: string;
}

const reservePart = async (
  { trx, entities, input, by, pipelineId }: Reserving,
  part: PartName,
  insert: (row: Omit<Inserting<unknown>, 'wanted'>) => Promise<object | undefined>,
): Promise<void> => {
  const names = madeNames(part, input);
  if (!names) return;
  const row = { trx, names, caller: by, owner: { teamId: input.team } };
  await reserveWithin(trx, { entity: entities[part], names }, pipelineId, () => insert(row));
};

/** Adds the new topic to the account's topics. The pipeline updates the rules. */
const joinAccount = async ({ trx, input, by, pipelineId }: Reserving): Promise<void> => {
  const { wish, app, team } = input;
  const names = joinedNames(input);
  if (!names || !wish.account) return;
  const row = await requireAccount(trx, names, 'name');
  // Someone has started another change of the account since.
  if (pipelineId !== undefined && row.pipeline_id !== pipelineId) throw new StepFailure('Discarded');
  const asker = { app, environment: Environment.parse(input.env), team, account: row.name, accountId: row.id };
  const topics = await namedTopics(trx, asker, listsOf(wish.account, wish.topic.name));
  const listed = await trx
    .selectFrom('topic_grant')
    .select(['topic_id', 'operation'])
    .where('account_id', '=', row.id)
    .where('is_listed', '=', true)
    .execute();
  const isListed = (topic: { id: string; operation: string }): boolean =>
    listed.some(({ topic_id, operation }) => topic_id === topic.id && operation === topic.operation);
  for (const topic of topics) if (!isListed(topic)) await addGrant(trx, asker, topic, { caller: by, reason: undefined });
};

/** Reserves all names or none. Runs in one transaction and is idempotent. */
export const reserveParts = async (reserving: Reserving): Promise<void> => {
  const { trx, entities, input } = reserving;
  const { schema, topic, account } = input.wish;
  const joined = joinedNames(input);
  if (joined) await lockEntity(trx, entities.account, joined);
  if (schema)
    await inPart(
      'schema',
      reservePart(reserving, 'schema', (row) => insertSchema({ ...row, wanted: schema })),
    );
  const made = schema && (await schemaRow(trx, { ...madeNames('schema', input) }))?.id;
  const reference = made === undefined ? topic.spec.valueSchema : { resourceId: made, resourceType: 'SCHEMA' as const };
  if (!reference) throw new Problem('Required', { field: 'topic.spec.valueSchema.resourceId' });
  const wanted = { ...topic, spec: { ...topic.spec, valueSchema: reference } };
  await inPart(
    'topic',
    reservePart(reserving, 'topic', (row) => insertTopic({ ...row, wanted }, made)),
  );
  if (!account) return;
  await inPart(
    'account',
    joined
      ? joinAccount(reserving)
      : reservePart(reserving, 'account', (row) => insertAccount({ ...row, wanted: accountOf(account, topic.name) })),
  );
};

/** Parts that the stream creates, in order of creation. */
export const madeParts = (entities: StreamEntities, input: StreamInput): Part[] =>
  partNames.flatMap((part) => {
    const names = madeNames(part, input);
    return names ? [{ entity: entities[part], names }] : [];
  });
