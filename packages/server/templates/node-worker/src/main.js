// Starts the worker and its status page.
import { createApp } from './app.js';
import { close, open, record } from './connections.js';
import { job } from './job.js';
import { log } from './log.js';
import { onStop, serve } from './serve.js';
import { askPeers } from './peers.js';
import { readSettings } from './settings.js';
import { Worker } from './worker.js';

const settings = readSettings(process.env);
/** Asks the peers, then does the job and writes its result into the connections. */
const recordedJob = async (input) => {
  await askPeers(input.signal);
  const result = await job(input);
  await record(result.summary);
  return result;
};
const worker = new Worker({ job: recordedJob, settings, log });
const { port, stop } = await serve(createApp({ worker, intervalMs: settings.intervalMs }));
log.info('listening', { port, ...settings });
open();
worker.start();

onStop(async (signal) => {
  log.info('stopping', { signal });
  await Promise.all([worker.stop(), stop()]);
  await close();
  log.info('stopped');
});
