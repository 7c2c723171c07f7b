/** What is done to the logs again and again: retention, then compaction. One log after the other, others' requests in between. */
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

/** `isOver`: nothing more is begun, so that the end of the broker waits for one log at most. */
export const tidyTopics = async (topics: Topics, tools: LogTools, isOver = (): boolean => false): Promise<void> => {
  for (const topic of topics.all()) {
    if (isOver()) return;
    for (const log of topic.usedLogs()) if (!isOver()) await tidy(log, tools);
    await nextTurn();
  }
};

/** Answers the function that ends it. */
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
