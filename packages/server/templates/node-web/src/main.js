// Starts the web server.
import { createApp } from './app.js';
import { close, open } from './connections.js';
import { log } from './log.js';
import { Logbook } from './logbook.js';
import { onStop, serve } from './serve.js';

const { port, stop } = await serve(createApp({ logbook: new Logbook() }));
log.info('listening', { port });
open();

onStop(async (signal) => {
  log.info('stopping', { signal });
  await stop();
  await close();
  log.info('stopped');
});
