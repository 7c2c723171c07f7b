/** Periodic maintenance of the logs: retention, then compaction. Handles one log at a time and lets other requests run in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compact } from './log/compaction.ts';
import type { PartitionLog, LogTools } from './log/partition-log.ts';
import { applyRetention } from './log/retention.ts';
import type { Topics } from './topics/topics.ts';

const EVERY_MS = 30_000;

const tidy = async (log: PartitionLog, tools: LogTools): Promise<void> => {
  try {
    applyRetention(log);
    await compact(log);
  } catch (error) {
    tools.log('error', 'a log could not be tidied up', { directory: log.directory, error: String(error) });
  }
};

/** Once `isOver` returns true, no further log is started, so that shutdown waits for at most one log. */
export const tidyTopics = async (topics: Topics, tools: LogTools, isOver = (): boolean => false): Promise<void> => {
  for (const topic of topics.all()) {
    if (isOver()) return;
    for (const log of topic.usedLogs()) if (!isOver()) await tidy(log, tools);
    await nextTurn();
  }
};

/** Starts the maintenance. Returns a function that stops it. */
export const startUpkeep = (topics: Topics, tools: LogTools, everyMs = EVERY_MS): (() => Promise<void>) => {
  let isOver = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const plan = (): void => {
    if (!isOver) timer = setTimeout(run, everyMs);
  };
  const run = (): void => {
    running = tidyTopics(topics, tools, () => isOver).then(plan, plan);
  };
  plan();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await running;
  };
};
