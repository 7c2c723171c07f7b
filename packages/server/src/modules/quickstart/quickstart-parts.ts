/** The database and the stream that a quickstart creates with a new app: their rows, and their steps in the quickstart's pipeline. */
import type { Transaction } from 'kysely';
import { DatabaseCreate } from '@slipway/contract/database/database.ts';
import { quickstartParts } from '@slipway/contract/quickstart.ts';
import { StreamCreate } from '@slipway/contract/streaming/stream.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { asIfCreated } from '#modules/apps/index.ts';
import { databaseEntity, insertDatabase, type CredentialDeps } from '#modules/databases/index.ts';
import { StepFailure, type FinishedRun, type StepDefinition } from '#modules/pipelines/index.ts';
import {
  createStepsWithin,
  giveBackWithin,
  pipelineOf,
  reserveWithin,
  setEntity,
  type Names,
  type Part,
} from '#modules/resources/index.ts';
import { attachGroups, detachGroups, environmentGroups } from '#modules/secret-groups/index.ts';
import type { ServiceContext, ServiceKey } from '#modules/services/index.ts';
import { madeNames, madeParts, partNames, reserveParts, type StreamEntities, type StreamInput } from '#modules/streaming/index.ts';

export interface PartsDeps {
  readonly db: Db;
  readonly databases: CredentialDeps;
  readonly entities: StreamEntities;
}
/** The choices in a pipeline's input. A plain quickstart has neither. */
export interface PartsInput extends ServiceKey {
  readonly displayName: string;
  /** The team that owns the app. */
  readonly team?: string;
  readonly withDatabase?: boolean;
  readonly withStream?: boolean;
}
type By = Pick<Caller, 'id' | 'displayName' | 'origin'>;
type Step = StepDefinition<PartsInput, object>;
type Context = ServiceContext<PartsInput, object>;

/** The content of a message that the template's program writes. */
const eventSchema = JSON.stringify({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Event',
  description: 'Something that happened in the service.',
  type: 'object',
  properties: {
    text: { type: 'string', description: 'What happened.' },
    service: { type: 'string', description: 'The service that says so.' },
    at: { type: 'string', format: 'date-time' },
  },
  required: ['text', 'at'],
});

const streamInput = ({ app, environment, team = '' }: PartsInput): StreamInput => {
  const { schema, topic, account, accountGroup } = quickstartParts(app);
  const wish = StreamCreate.parse({
    schema: { name: schema, type: 'JSON', content: eventSchema },
    topic: { name: topic, description: `Events of ${app}`, spec: {} },
    account: { name: account, secretGroup: accountGroup },
  });
  return {
    app,
    env: environment,
    topic,
    team,
    wish: {
      topic: wish.topic,
      ...(wish.account && { account: wish.account }),
      ...(wish.schema && { schema: { ...wish.schema, uses: [] } }),
    },
  };
};

const databaseNames = ({ app, environment }: PartsInput): Names => ({ app, env: environment, database: quickstartParts(app).database });

/** The smallest database. Its owner can enlarge everything but the region. */
const databaseWish = ({ app, service, displayName }: PartsInput, region: string) => {
  const { database } = quickstartParts(app);
  const size = { storageGb: 32, backupRetentionDays: 7, maxConnections: 20, plan: 'BURSTABLE_1' };
  return DatabaseCreate.parse({ name: database, displayName, region, ...size, attachTo: [service] });
};

export const quickstartPartsOf = (deps: PartsDeps) => {
  const { db, databases, entities } = deps;
  const database = databaseEntity(databases);
  const partsOf = (input: PartsInput): Part[] => [
    ...(input.withDatabase ? [{ entity: database, names: databaseNames(input) }] : []),
    ...(input.withStream ? madeParts(entities, streamInput(input)) : []),
  ];

  /** Reserves all names. Idempotent for a pipeline. */
  const reserve = (trx: Transaction<DB>, input: PartsInput, by: By, pipelineId?: string): Promise<void> =>
    asIfCreated(trx, input.app, async () => {
      if (input.withDatabase) {
        const names = databaseNames(input);
        const [region = ''] = databases.databases.regions;
        const wanted = databaseWish(input, region);
        await reserveWithin(trx, { entity: database, names }, pipelineId, () =>
          insertDatabase({ trx, names, wanted, caller: by }, databases.databases),
        );
      }
      if (input.withStream)
        await reserveParts({ trx, entities, input: streamInput(input), by, ...(pipelineId === undefined ? {} : { pipelineId }) });
    });

  const note = async (trx: Transaction<DB>, input: PartsInput, pipelineId: string): Promise<void> => {
    for (const { entity, names } of partsOf(input)) await setEntity(trx, entity, names, { pipeline_id: pipelineId });
  };

  const reserveStep: Step = {
    code: 'ReserveNames',
    run: async ({ input, pipelineId, createdBy }) => {
      try {
        await transaction(db, (trx) => reserve(trx, input, { ...createdBy, origin: 'console' }, pipelineId));
      } catch (error) {
        if (error instanceof Problem) throw new StepFailure('NameTaken', { reason: error.message }, { cause: error });
        throw error;
      }
    },
    undo: ({ input, pipelineId, runId }) => transaction(db, (trx) => giveBackWithin(trx, partsOf(input), { pipelineId, runId })),
  };

  const accountGroups = async (trx: Db, { app, environment }: PartsInput) =>
    (await environmentGroups(trx, { app, environment })).filter(({ name }) => name === quickstartParts(app).accountGroup);
  const attachStep = {
    code: 'AttachAccount',
    run: ({ input, service, log }: Context) =>
      transaction(db, async (trx) => {
        if (!input.withStream) return { skipped: true };
        const groups = await accountGroups(trx, input);
        const attached = await attachGroups(
          trx,
          service.id,
          groups.map(({ id, name }) => ({ id, name, exposeAsEnvironment: true })),
        );
        log(`${input.service} reads ${attached.join(', ')} from its first revision on`);
        return {};
      }),
    undo: ({ input, service }: Context) => transaction(db, async (trx) => detachGroups(trx, service.id, await accountGroups(trx, input))),
  };

  const steps = [
    reserveStep,
    ...createStepsWithin<PartsInput>(db, database, (input) => (input.withDatabase ? databaseNames(input) : undefined)),
    ...partNames.flatMap((part) =>
      createStepsWithin<PartsInput>(db, entities[part], (input) => (input.withStream ? madeNames(part, streamInput(input)) : undefined)),
    ),
    attachStep,
  ];

  /** Activates the parts of a completed run, and removes those of a failed one. Called in the transaction that ends the run. */
  const finish = async (trx: Transaction<DB>, run: FinishedRun<PartsInput, object>): Promise<void> => {
    const parts = partsOf(run.input);
    if (run.outcome !== 'COMPLETED') return giveBackWithin(trx, parts, run);
    for (const { entity, names } of parts)
      if ((await pipelineOf(trx, entity, names)) === run.pipelineId) await setEntity(trx, entity, names, { state: 'ACTIVE' });
  };
  return { steps, reserve, note, finish };
};
export type QuickstartParts = ReturnType<typeof quickstartPartsOf>;
