/** Fills the queue of a restored database: which replica worked on what is of no use any more, but the runs that had not ended go on. */
import type { DatabaseConfig } from '#db/database.ts';
import type { Log } from '#ports/log.ts';
import { DbosQueue } from './dbos-queue.ts';

/** Answers how many runs wait now. The database must have no queue yet. */
export async function queueRestoredRuns(connection: DatabaseConfig, log: Log): Promise<number> {
  const queue = new DbosQueue({ connection, executorId: 'restore', concurrency: 1, log, execute: async () => {} });
  try {
    await queue.prepare();
    return await queue.enqueueUnended();
  } finally {
    await queue.close();
  }
}
