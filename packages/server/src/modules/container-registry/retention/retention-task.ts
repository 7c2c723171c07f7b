/** Applies each project's retention once a day, on one worker each: the row says when it was begun last. */
import { sql } from 'kysely';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { RegistryPolicy } from '@slipway/contract/registry/policy.ts';
import { containerRegistryKind } from '@slipway/contract/kinds/project.kind.ts';
import { retentionPreview } from '@slipway/contract/registry/retention.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { Rounds } from '#kernel/rounds.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import type { Log } from '#ports/log.ts';
import type { Registry } from '#ports/registry.ts';
import { enqueueRegistryEvent } from '../webhooks/index.ts';
import { applyRetention, type Retained } from './retention.ts';

/** At night, in UTC. */
const HOUR = 2;
const DAY_MS = 86_400_000;
const EVERY_MS = 60_000;
/** One that has not said what it did for so long was killed. */
const SILENT_MS = 3_600_000;
const platform = { id: 'platform', displayName: 'Slipway' };

const lastNight = (now: Date): Date => {
  const tonight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR);
  return new Date(tonight <= now.getTime() ? tonight : tonight - DAY_MS);
};
export const nextNight = (now: Date): Date => new Date(lastNight(now).getTime() + DAY_MS);

interface Due {
  readonly app: string;
  readonly team: string;
  readonly policy: RegistryPolicy;
  readonly begun: Date;
}

export interface RetentionDeps {
  readonly db: Db;
  readonly registry: Registry;
  readonly log: Log;
  readonly now?: () => Date;
}

/** Takes one project whose night has come; undefined where there is none. */
const claim = async (db: Db, now: Date): Promise<Due | undefined> => {
  const { rows } = await sql<Due>`
    update container_registry kept set retained_at = ${now}, retained_tags = null, retained_bytes = null
    from app where app.id = kept.app_id and kept.app_id = (
      select app_id from container_registry
      where policy ->> 'retention' is not null
        and (retained_at is null or retained_at < ${lastNight(now)}
          or retained_tags is null and retained_at < ${new Date(now.getTime() - SILENT_MS)})
      order by retained_at nulls first limit 1 for update skip locked)
    returning kept.app_id as app, app.team_id as team, kept.policy, kept.retained_at as begun`.execute(db);
  return rows[0];
};

const finish = (
  { db, registry }: Pick<RetentionDeps, 'db' | 'registry'>,
  { app, team, begun }: Due,
  { tags, sizeBytes }: Retained,
): Promise<void> =>
  transaction(db, async (trx) => {
    await trx
      .updateTable('container_registry')
      .set({ retained_tags: tags, retained_bytes: sizeBytes })
      .where('app_id', '=', app)
      .where('retained_at', '=', begun)
      .execute();
    if (tags > 0) {
      await recordPlatformActivity(trx, {
        type: retentionPreview.id,
        reason: 'RetentionApplied',
        message: `Retention deleted ${tags} ${tags === 1 ? 'tag' : 'tags'} of the registry project ${app}`,
        subject: subjectOf(containerRegistryKind, { app, project: app }, { team }),
        after: { tags, sizeBytes },
      });
      const custom_attributes = { deleted_tags: tags, deleted_bytes: sizeBytes };
      await enqueueRegistryEvent(trx, registry, {
        type: 'TAG_RETENTION',
        project: app,
        operator: platform.id,
        aboutEvent: { custom_attributes },
      });
    }
    await notifyChange(trx, { kind: containerRegistryKind.kind, app, project: app, team });
  });

/** Applies retention to all projects whose night has come. A project that fails is tried again an hour later, and stops no other. */
export const applyDue = async ({ db, registry, now = () => new Date() }: Omit<RetentionDeps, 'log'>): Promise<void> => {
  const dueOnes = async function* (): AsyncGenerator<Due> {
    for (let due = await claim(db, now()); due; due = await claim(db, now())) yield due;
  };
  await eachByItself(dueOnes(), async (due) => {
    const { app, policy } = due;
    const { retention } = policy;
    const retained = retention ? await applyRetention({ db, registry }, app, retention, now()) : { tags: 0, sizeBytes: 0 };
    await finish({ db, registry }, due, retained);
  });
};

export const retentionTask = (deps: RetentionDeps): Rounds =>
  new Rounds({ everyMs: EVERY_MS, round: () => applyDue(deps), log: deps.log, warning: 'Retention is held up; trying again' });
