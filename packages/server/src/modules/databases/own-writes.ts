/** Actions on a database beside create, update and delete: activate, rotate the password, end the former password. */
import { databaseActivation, databaseFormerPasswordEnd, databaseRotate } from '@slipway/contract/database/database.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { changeNow, placeOf, requireEntity, rowAt, runAction, type ActionDeps } from '#modules/resources/index.ts';
import type { DatabasePipelines } from './database-pipelines.ts';
import type { databaseEntity } from './database-entity.ts';

export interface WriteDeps extends ActionDeps {
  readonly entity: ReturnType<typeof databaseEntity>;
  readonly pipelines: DatabasePipelines;
}
export const databaseWrites = (deps: WriteDeps): Handler[] => {
  const { db, entity, pipelines } = deps;
  const action = (route: RouteShape, verb: string) => ({ entity, route, verb });
  return [
    handle(databaseActivation, (c) =>
      runAction(deps, action(databaseActivation, 'activate'), c, ({ name, active: before }) => {
        const { active } = c.body;
        if (active === before) throw new Problem('NothingChanged');
        return {
          definition: pipelines.activation,
          input: { ...c.params, isActive: active },
          consequences: [note(active ? 'AcceptsConnections' : 'RefusesConnections', { database: name })],
          reason: active ? 'Activated' : 'Deactivated',
          message: `${c.caller.displayName} ${active ? 'activated' : 'deactivated'} the database ${name}`,
          before: { active: before },
          after: { active },
        };
      }),
    ),
    handle(databaseRotate, (c) =>
      runAction(deps, action(databaseRotate, 'rotate'), c, ({ name, secretGroup }) => {
        const { overlapHours: hours } = c.body;
        const former = hours === 0 ? note('FormerPasswordEnds') : note('FormerPasswordStays', { hours: String(hours) });
        return {
          definition: pipelines.rotation,
          input: { ...c.params, overlapHours: hours },
          consequences: [note('MakesPassword', { group: secretGroup }), former],
          skips: hours === 0 ? [] : ['EndFormerPassword'],
          reason: 'Rotated',
          message: `${c.caller.displayName} asked for a new password of the database ${name}`,
          after: { overlapHours: hours },
        };
      }),
    ),
    handle(
      databaseFormerPasswordEnd,
      (c) =>
        changeNow(db, action(databaseFormerPasswordEnd, 'endFormerPassword'), c, async ({ name, credentials }, trx) => {
          // The watcher closes the login within seconds.
          await trx
            .updateTable('database')
            .set({ former_ends_at: new Date() })
            .where(({ and }) => and(rowAt(placeOf(c.params), name)))
            .execute();
          return {
            reason: 'FormerPasswordEnded',
            message: `${c.caller.displayName} ended the former password of ${name}`,
            before: { former: credentials?.former },
          };
        }),
      (c) => requireEntity(db, entity, c.params, c.caller),
    ),
  ];
};
