/** The process that looks into images: as image-worker.ts of the tool, and it gives way to whatever else runs. */
import os from 'node:os';
import { serveJobs } from '#adapters/oci/serve-jobs.ts';
import { doScanJob } from './scan-job.ts';

const NICE = 10;

os.setPriority(NICE);
await serveJobs(doScanJob);
