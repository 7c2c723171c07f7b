/** Tells the team 14, 3 and 1 days before a robot account ends, and records each day on which an ended one was refused. */
import { expiryWarningDays } from '@slipway/contract/secret/secret-group.ts';
import { subjectKey, subjectPath } from '@slipway/contract/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { robotAccountKind } from '@slipway/contract/kinds/robot-account.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { Rounds } from '#kernel/rounds.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { notify } from '#modules/notifications/index.ts';
import type { Log } from '#ports/log.ts';
import type { Registry, RobotNotice } from '#ports/registry.ts';

const EVERY_MS = 30_000;

const sentences: Readonly<Record<RobotNotice['kind'], { reason: string; text: (notice: RobotNotice) => string }>> = {
  ENDING: { reason: 'Ending', text: ({ name, day }) => `The robot account ${name} ends after ${day}. Rotate and extend it.` },
  REFUSED: {
    reason: 'Refused',
    text: ({ name, day }) => `The robot account ${name} was refused on ${day}: it has expired or is disabled, and something still uses it`,
  },
};

export const sayRobotNotices = async (db: Db, registry: Registry): Promise<number> => {
  const notices = await registry.robotNotices(expiryWarningDays);
  await eachByItself(notices, (notice) => {
    const { kind, project, name } = notice;
    return transaction(db, async (trx) => {
      const app = await trx.selectFrom('app').select('team_id').where('id', '=', project).executeTakeFirst();
      if (!app) return;
      await recordPlatformActivity(trx, {
        type: 'robotAccountWatch',
        reason: sentences[kind].reason,
        level: 'WARNING',
        message: sentences[kind].text(notice),
        outcome: kind === 'REFUSED' ? 'REFUSED' : 'DONE',
        subject: subjectOf(robotAccountKind, { app: project, robot: name }, { team: app.team_id }),
      });
      await notifyChange(trx, { kind: robotAccountKind.kind, app: project, robot: name });
      if (kind === 'ENDING')
        await notify(trx, {
          id: newId('evt'),
          type: 'robot.expiring',
          entity: subjectKey({ kind: robotAccountKind.kind, names: { app: project, robot: name } }),
          team: app.team_id,
          context: { name, day: notice.day, app: project },
          path: subjectPath({ kind: robotAccountKind.kind, names: { app: project, robot: name } }) ?? '/',
        });
    });
  });
  return notices.length;
};

export const robotWatch = (db: Db, registry: Registry, log: Log): Rounds =>
  new Rounds({
    everyMs: EVERY_MS,
    round: () => sayRobotNotices(db, registry),
    log,
    warning: 'The robot accounts could not be looked at; trying again',
  });
