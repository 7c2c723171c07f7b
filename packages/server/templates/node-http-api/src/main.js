// Starts the API.
import { createApp } from './app.js';
import { BerthStore, exampleBerths } from './berths.js';
import { close, open } from './connections.js';
import { log } from './log.js';
import { onStop, serve } from './serve.js';

const { port, stop } = await serve(createApp({ store: new BerthStore(exampleBerths) }));
log.info('listening', { port });
open();

onStop(async (signal) => {
  log.info('stopping', { signal });
  await stop();
  await close();
  log.info('stopped');
});
