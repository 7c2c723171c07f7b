/** What is done with a database besides making, changing and deleting it: activate, change the password, end the former one. */
import {
  databaseActivation,
  databaseFormerPasswordEnd,
  databaseResource,
  databaseRotate,
  type Database,
} from '@slipway/contract/database/database.ts';
import { databaseKind } from '@slipway/contract/database/database.kind.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { PlanNote, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { planOf, runFor, triggerBy, type PipelineDefinition, type PipelineEngine } from '#modules/pipelines/index.ts';
import { lockFor, placeOf, recordChange, requireEntity, rowAt, startOn } from '#modules/resources/index.ts';
import type { DatabasePipelines } from './database-pipelines.ts';
import type { databaseEntity } from './database-entity.ts';

export interface WriteDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly entity: ReturnType<typeof databaseEntity>;
  readonly pipelines: DatabasePipelines;
}
interface Asked {
  readonly caller: Caller;
  readonly owner: Owner;
  readonly params: { readonly app: string; readonly env: string; readonly database: string };
  readonly query: { readonly dryRun: boolean };
}
interface Prepared<I extends object> {
  readonly route: RouteShape;
  /** What `can` must allow. */
  readonly verb: string;
  readonly definition: PipelineDefinition<I, object>;
  /** Throws where the rules say no. */
  prepare(database: Database): {
    readonly input: I;
    readonly consequences: readonly PlanNote[];
    readonly skips?: readonly string[];
    readonly reason: string;
    readonly message: string;
    readonly before?: object;
    readonly after?: object;
  };
}

const write = async <I extends object>(
  deps: WriteDeps,
  asked: Asked,
  { route, verb, definition, prepare }: Prepared<I>,
): Promise<PlanOrRun> => {
  const { db, engine, entity } = deps;
  const { caller, owner, params: names, query } = asked;
  const subject = subjectOf(databaseKind, names, { team: owner.teamId });
  const done = await transaction(db, async (trx) => {
    const database = await lockFor(trx, entity, { caller, names }, verb);
    const { input, consequences, skips = [], ...words } = prepare(database);
    const production = database.environment === 'production' ? [{ code: 'ProductionChange', context: {} }] : [];
    if (query.dryRun) {
      const steps = definition.steps.map(({ code }) => code).filter((code) => !skips.includes(code));
      return {
        draft: { pipelineType: definition.type, steps, consequences: [...consequences], warnings: production },
        pipelineId: undefined,
      };
    }
    const started = { input, subject, createdBy: caller, trigger: triggerBy(caller) };
    const pipelineId = await startOn(engine, trx, entity, { names, definition, ...started });
    await recordChange(trx, databaseResource, route, { caller, names, team: owner.teamId, title: database.name, pipelineId, ...words });
    return { pipelineId };
  });
  return done.pipelineId === undefined ? planOf(db, subjectKey(subject), done.draft) : runFor(db, done.pipelineId, caller);
};

const note = (code: string, context: PlanNote['context']): PlanNote => ({ code, context });

const endFormerPassword = (deps: WriteDeps, asked: Omit<Asked, 'query'>): Promise<Database> =>
  transaction(deps.db, async (trx) => {
    const { caller, owner, params: names } = asked;
    const { credentials, name } = await lockFor(trx, deps.entity, { caller, names }, 'endFormerPassword');
    // Whoever watches the databases ends it within seconds.
    await trx
      .updateTable('database')
      .set({ former_ends_at: new Date() })
      .where(({ and }) => and(rowAt(placeOf(names), name)))
      .execute();
    await recordChange(trx, databaseResource, databaseFormerPasswordEnd, {
      caller,
      names,
      team: owner.teamId,
      title: name,
      reason: 'FormerPasswordEnded',
      message: `${caller.displayName} ended the former password of ${name}`,
      before: { former: credentials?.former },
    });
    return requireEntity(trx, deps.entity, names, caller);
  });

export const databaseWrites = (deps: WriteDeps): Handler[] => [
  handle(databaseActivation, (c) =>
    write(deps, c, {
      route: databaseActivation,
      verb: 'activate',
      definition: deps.pipelines.activation,
      prepare: ({ name, active: before }) => {
        const { active } = c.body;
        if (active === before) throw new Problem('NothingChanged');
        return {
          input: { ...c.params, isActive: active },
          consequences: [note(active ? 'AcceptsConnections' : 'RefusesConnections', { database: name })],
          reason: active ? 'Activated' : 'Deactivated',
          message: `${c.caller.displayName} ${active ? 'activated' : 'deactivated'} the database ${name}`,
          before: { active: before },
          after: { active },
        };
      },
    }),
  ),
  handle(databaseRotate, (c) =>
    write(deps, c, {
      route: databaseRotate,
      verb: 'rotate',
      definition: deps.pipelines.rotation,
      prepare: ({ name, secretGroup }) => {
        const { overlapHours: hours } = c.body;
        const former = hours === 0 ? note('FormerPasswordEnds', {}) : note('FormerPasswordStays', { hours: String(hours) });
        return {
          input: { ...c.params, overlapHours: hours },
          consequences: [note('MakesPassword', { group: secretGroup }), former],
          skips: hours === 0 ? [] : ['EndFormerPassword'],
          reason: 'Rotated',
          message: `${c.caller.displayName} asked for a new password of the database ${name}`,
          after: { overlapHours: hours },
        };
      },
    }),
  ),
  handle(
    databaseFormerPasswordEnd,
    (c) => endFormerPassword(deps, c),
    (c) => requireEntity(deps.db, deps.entity, c.params, c.caller),
  ),
];
