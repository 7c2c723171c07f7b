/** Rows that the autoscaler and the scale-down of idle services read and write. */
import { instanceEvent, type ScalingCause } from '@slipway/contract/service/instance-event.ts';
import { eventCause } from '@slipway/contract/service/instance-event-texts.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import { sql, type Transaction } from 'kysely';
import * as z from 'zod/mini';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { mustFit, parseEach, type Parsed } from '#kernel/rows/unreadable.ts';
import { notifyChange } from '#kernel/changes.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import type { Environment } from '#ports/runtime.ts';
import { serviceRow } from './revision-key.ts';
import { writeEvent } from './observed.sql.ts';
import type { Scaling } from './scaling.ts';

export interface ScaledService {
  readonly serviceId: string;
  readonly app: string;
  readonly environment: Environment;
  readonly service: string;
  readonly team: string;
}
export interface ScalableRevision extends ScaledService {
  readonly id: string;
  readonly revision: string;
  readonly wanted: number;
  readonly requestedMillicores: number;
  readonly scaling: Scaling;
  readonly instances: readonly { readonly id: string; readonly isReady: boolean; readonly seconds: number }[];
}

/** Whether a pipeline of the service is active. While it is, only the pipeline decides about the service's instances. */
const isAtWork = sql<boolean>`exists (select 1 from pipeline_run run
  where run.subject = 'service:' || service.app_id || '/' || service.environment || '/' || service.name
    and run.state in ('QUEUED', 'PENDING', 'RUNNING'))`;

const ScalableShape = z.object({
  requestedMillicores: z.number(),
  scaling: z.object({ minReplicas: z.number(), maxReplicas: z.number(), cpuUtilization: z.number() }),
});

/**
 * Returns serving revisions of services with automatic scaling, and their instances. `seconds` is the time that an instance has been in
 * its state.
 */
export const scalableRevisions = async (db: Db): Promise<Parsed<ScalableRevision, ScalableRevision>> => {
  const { rows } = await sql<ScalableRevision>`
    select service.id as "serviceId", service.app_id as app, service.environment, service.name as service, app.team_id as team,
      revision.id, revision.name as revision, revision.replicas_wanted as wanted,
      revision.spec #> '{resources,cpuMillicores}' as "requestedMillicores",
      service.spec #> '{template,replicaScaling}' as scaling,
      coalesce((select jsonb_agg(jsonb_build_object('id', instance.id, 'isReady', instance.state = 'READY',
          'seconds', extract(epoch from now() - instance.since)))
        from instance where instance.revision_id = revision.id and instance.state not in ('STOPPING', 'STOPPED')), '[]') as instances
    from service join app on app.id = service.app_id
      join revision on revision.service_id = service.id and revision.name = any (service.serving)
    where service.active and service.state = 'ACTIVE' and service.spec #>> '{template,replicaScaling,scalingType}' = 'AUTO'
      and revision.replicas_wanted > 0 and revision.deleting_at is null and not ${isAtWork}`.execute(db);
  return parseEach(rows, serviceRow, (row) => {
    mustFit(ScalableShape, row, 'replica scaling');
    return row;
  });
};

export interface ScalingDecision {
  readonly to: number;
  readonly cause: ScalingCause;
}

/**
 * Locks the service's row. Returns false if a pipeline of the service is active or the service was switched off. Checks this after locking:
 * a statement that waited for the lock sees older data and misses a pipeline that started meanwhile.
 */
const lockIdle = async (trx: Transaction<DB>, serviceId: string): Promise<boolean> => {
  await sql`select id from service where id = ${serviceId} for update`.execute(trx);
  const { rows } = await sql`select id from service where id = ${serviceId} and active and not ${isAtWork}`.execute(trx);
  return rows.length > 0;
};

/** Returns false if the wanted state changed meanwhile. The reconciler starts and stops the instances. */
export const applyScaling = (db: Db, found: ScalableRevision, { to, cause }: ScalingDecision): Promise<boolean> =>
  transaction(db, async (trx) => {
    if (!(await lockIdle(trx, found.serviceId))) return false;
    const { numUpdatedRows } = await trx
      .updateTable('revision')
      .set({ replicas_wanted: to, status: 'PENDING' })
      .where('id', '=', found.id)
      .where('replicas_wanted', '=', found.wanted)
      .where('status', '!=', 'DELETED')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const event = instanceEvent(to > found.wanted ? 'ScaledUp' : 'ScaledDown', {
      revision: found.revision,
      from: found.wanted,
      to,
      ...cause,
    });
    await recordPlatformActivity(trx, {
      type: 'serviceScaling',
      reason: event.code,
      message: eventCause({ reason: event.code, context: event.context }),
      subject: aboutOf(found),
      before: { replicas: found.wanted },
      after: { replicas: to },
    });
    await writeEvent(trx, found.id, { instance: found.revision, at: new Date(), type: 'modified', ...event });
    await hint(trx, found, found.revision);
    return true;
  });

const aboutOf = ({ serviceId, app, environment: env, service, team }: ScaledService): Subject =>
  subjectOf(serviceKind, { app, env, service }, { team, ids: { [serviceKind.kind]: serviceId } });

const hint = (trx: Transaction<DB>, of: ScaledService, revision?: string): Promise<void> =>
  notifyChange(trx, {
    kind: revision ? 'revision' : 'service',
    app: of.app,
    env: of.environment,
    service: of.service,
    ...(revision ? { revision } : {}),
  });

/** Idle days before a service is scaled down. Null if the setting is not readable. */
const idleDays = sql<number>`substring(service.spec ->> 'scaleDownAfterDays' from '^[0-9]{1,4}$')::int`;

/**
 * Returns services that were idle for as long as their settings allow: no request at the edge, and no pipeline (a deploy, an activation,
 * changed settings). Requests inside the platform bypass the edge and do not count. A service that the edge does not serve, for example a
 * worker, is never idle, because its requests are unknown.
 */
export const idleServices = async (db: Db): Promise<readonly (ScaledService & { readonly days: number })[]> => {
  const { rows } = await sql<ScaledService & { days: number }>`
    select service.id as "serviceId", service.app_id as app, service.environment, service.name as service, app.team_id as team,
      ${idleDays} as days
    from service join app on app.id = service.app_id left join edge_stat on edge_stat.service_id = service.id
    where service.active and service.state = 'ACTIVE' and service.scaled_down_at is null
      and ${idleDays} is not null
      and coalesce(service.edge, service.spec) ->> 'exposedPort' is not null
      and coalesce(service.edge, service.spec) #>> '{externalTraffic,type}' <> 'NONE'
      and exists (select 1 from revision where revision.service_id = service.id and revision.replicas_wanted > 0)
      and not ${isAtWork}
      and greatest(service.created_at, edge_stat.last_request_at,
        (select max(revision.created_at) from revision where revision.service_id = service.id),
        (select max(run.ended_at) from pipeline_run run
          where run.subject = 'service:' || service.app_id || '/' || service.environment || '/' || service.name))
        < now() - make_interval(hours => 24 * ${idleDays})`.execute(db);
  return rows;
};

/** Stops the service's instances until a deploy or an activation. The service stays active and keeps its serving revisions. */
export const scaleDown = (db: Db, idle: ScaledService & { readonly days: number }): Promise<boolean> =>
  transaction(db, async (trx) => {
    if (!(await lockIdle(trx, idle.serviceId))) return false;
    const stopped = await trx
      .updateTable('revision')
      .set({ replicas_wanted: 0, status: 'PENDING' })
      .where('service_id', '=', idle.serviceId)
      .where('replicas_wanted', '>', 0)
      .returning(['id', 'name'])
      .execute();
    if (stopped.length === 0) return false;
    await trx.updateTable('service').set({ scaled_down_at: new Date() }).where('id', '=', idle.serviceId).execute();
    const what = `no request for ${idle.days} ${idle.days === 1 ? 'day' : 'days'}`;
    await recordPlatformActivity(trx, {
      type: 'serviceScaling',
      reason: 'ScaledDownIdle',
      message: `${idle.service} was scaled down: ${what}. A deploy or an activation starts it again`,
      subject: aboutOf(idle),
      after: { scaledDownAfterDays: idle.days, revisions: stopped.map(({ name }) => name) },
    });
    for (const { id, name } of stopped) {
      await writeEvent(trx, id, {
        instance: name,
        at: new Date(),
        type: 'modified',
        ...instanceEvent('ScaledDownIdle', { days: idle.days }),
      });
      await hint(trx, idle, name);
    }
    await hint(trx, idle);
    return true;
  });
