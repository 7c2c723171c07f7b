/** The process that scans images. Like image-worker.ts, with lower CPU priority. */
import os from 'node:os';
import { serveJobs } from '../oci/serve-jobs.ts';
import { doScanJob } from './scan-job.ts';

const NICE = 10;

os.setPriority(NICE);
await serveJobs(doScanJob);
