/** Records which replica drives the runtime, and reports to people how that affects their services. */
import type { Db } from '#db/database.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import type { Runtime, RuntimeCapabilities } from '#ports/runtime.ts';
import { claimLeader } from './leader.sql.ts';
import { writeBookmarks } from './observed.sql.ts';

export interface Claim {
  readonly db: Db;
  readonly runtime: Runtime;
  readonly replica: string;
  /** Whether the instances of the former leader keep running. */
  readonly isTakenOver: boolean;
  /** Whether this replica drove the runtime before, and the runtime lost all instances. */
  readonly isAfterLoss: boolean;
  /** The readiness of services, for the other replicas. */
  readonly serving: string;
}

export const claimRuntime = async ({ db, isAfterLoss, isTakenOver, replica, runtime, serving }: Claim): Promise<RuntimeCapabilities> => {
  const capabilities = await runtime.capabilities();
  const { wasTakenFrom } = await claimLeader(db, runtime.kind, replica, capabilities, serving);
  const then = isTakenOver ? 'Its services run on.' : 'Its services start again.';
  if (wasTakenFrom) await tell(db, 'TakenOver', `${replica} drives the runtime now; ${wasTakenFrom} is gone. ${then}`);
  else if (isAfterLoss) await tell(db, 'RuntimeRestarted', `The runtime of ${replica} ended unexpectedly. Its services start again.`);
  await writeBookmarks(db, replica, isTakenOver);
  return capabilities;
};

const tell = (db: Db, reason: string, message: string): Promise<unknown> =>
  recordPlatformActivity(db, {
    type: 'runtimeTakeOver',
    reason,
    level: 'WARNING',
    message,
  });
