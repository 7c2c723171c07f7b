/** The process that unpacks images: whatever an image makes of its memory, the platform goes on. Started by image-process.ts. */
import { writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

import { doImageJob } from './image-job.ts';
import type { ImageJob } from './image-job.ts';
import { failureReply } from './image-reply.ts';

/** Of 1000: the first to go when the machine is out of memory. */
const OOM_SCORE = '800';

// The platform is gone, whichever way: nobody waits for the image any more.
process.once('disconnect', () => process.exit(0));
await writeFile('/proc/self/oom_score_adj', OOM_SCORE).catch(() => undefined);

process.on('message', (job: ImageJob) => {
  doImageJob(job).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ failure: failureReply(error) }),
  );
});
process.send?.({ value: null });
// It is killed when it is done, and would keep nothing for the next one.
flushCompileCache();
