/** The consumer groups of one environment: restores offsets and groups, and serves their requests. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';

import type { StartGroups } from '../parts.ts';
import { Committing } from './committing.ts';
import { Coordinator } from './coordinator.ts';
import { groupHandlers } from './group-handlers.ts';
import type { Group } from './group.ts';
import { membershipHandlers } from './membership-handlers.ts';
import { offsetHandlers } from './offset-handlers.ts';
import { OffsetStore } from './offset-store.ts';
import { realTimers, type Cancel } from './timers.ts';

const SWEEP_MS = 60_000;

export const startGroups: StartGroups = async ({ advertised, directory, log, now, topics }, authorizer) => {
  const timers = realTimers;
  const onFailure = (error: unknown): void => log('error', 'consumer groups could not be written', { error: String(error) });
  const store = await OffsetStore.open({
    file: path.join(directory, 'offsets.log'),
    timers,
    onFailure,
    onDamage: (lostBytes) => log('warn', 'the end of the committed offsets was damaged and is cut off', { lostBytes }),
  });
  const keep = ({ id, protocolType = '', generation, stateSince: since }: Group): void => {
    store.keepGroup(id, { protocolType, generation, since }).catch(onFailure);
  };
  const coordinator = new Coordinator({ timers, now, newId: randomUUID, keep });
  for (const groupId of store.groupIds()) coordinator.create(groupId, store.group(groupId));
  const committing = new Committing({ coordinator, store, now, onFailure });
  // Topics may have been deleted before the listener existed.
  await committing.forgetTopics((topic) => topics.partitionCount(topic) === undefined);
  topics.onDeleted((gone) => void committing.forgetTopics((topic) => topic === gone));
  let cancelSweep: Cancel;
  const sweepLater = (): void => {
    cancelSweep = timers.after(SWEEP_MS, () => void committing.sweep().finally(sweepLater));
  };
  sweepLater();
  return {
    handlers: [
      ...groupHandlers({ coordinator, committing, authorizer, advertised }),
      ...membershipHandlers(coordinator, authorizer),
      ...offsetHandlers({ coordinator, committing, topics, authorizer, now }),
    ],
    async close() {
      cancelSweep();
      for (const { id } of coordinator.list()) coordinator.drop(id);
      await store.close();
    },
  };
};
