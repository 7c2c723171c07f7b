/** What a process does that works on images for the platform: whatever an image makes of its memory, the platform goes on. */
import { writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

import { failureReply } from './image-reply.ts';

/** Of 1000: the first to go when the machine is out of memory. */
const OOM_SCORE = '800';

/** `work` gets what was asked, and answers what can be sent. */
export const serveJobs = async <Job>(work: (job: Job) => Promise<unknown>): Promise<void> => {
  // The platform is gone, whichever way: nobody waits for the image any more. An orderly exit waits for V8's threads, which can wait for ever.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  await writeFile('/proc/self/oom_score_adj', OOM_SCORE).catch(() => undefined);
  process.on('message', (job: Job) => {
    work(job).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ failure: failureReply(error) }),
    );
  });
  process.send?.({ value: null });
  // It is killed when it is done, and would keep nothing for the next one.
  flushCompileCache();
};
