/** The process that unpacks images. Started by image-process.ts. */
import { doImageJob } from './image-job.ts';
import { serveJobs } from './serve-jobs.ts';

await serveJobs(doImageJob);
