// Starts the worker and its status page.
import { createApp } from './app.js';
import { job } from './job.js';
import { log } from './log.js';
import { onStop, serve } from './serve.js';
import { readSettings } from './settings.js';
import { Worker } from './worker.js';

const settings = readSettings(process.env);
const worker = new Worker({ job, settings, log });
const { port, stop } = await serve(createApp({ worker, intervalMs: settings.intervalMs }));
log.info('listening', { port, ...settings });
worker.start();

onStop(async (signal) => {
  log.info('stopping', { signal });
  await Promise.all([worker.stop(), stop()]);
  log.info('stopped');
});
