/** Serves jobs in a separate process that works on images. If an image exhausts its memory, the platform keeps running. */
import { writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

import { failureReply } from './image-reply.ts';

/** OOM score adjustment, at most 1000. The kernel ends this process first when the machine is out of memory. */
const OOM_SCORE = '800';

/** Runs `work` for each job. Its result must be serializable. */
export const serveJobs = async <Job>(work: (job: Job) => Promise<unknown>): Promise<void> => {
  // The platform has exited, so the image is no longer needed. An orderly exit waits for V8's threads, which can take forever.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  await writeFile('/proc/self/oom_score_adj', OOM_SCORE).catch(() => undefined);
  process.on('message', (job: Job) => {
    work(job).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ failure: failureReply(error) }),
    );
  });
  process.send?.({ value: null });
  // The process is killed when it is done, so it must write the compile cache for the next process now.
  flushCompileCache();
};
