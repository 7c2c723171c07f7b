// Starts the HTTP server, and lets it finish its work when the platform asks it to stop.
import { createServer } from 'node:http';

// Shorter than the platform's own patience, so that this program ends by itself and says so.
const DRAIN_LIMIT_MS = 8_000;
// Longer than the edge keeps its idle connections: this side must never be the first to hang up.
const KEEP_ALIVE_MS = 65_000;

/** Listens on PORT and HOST. Answers the server and a function that stops it once the open requests are answered. */
export const serve = async (handler, { port = Number(process.env.PORT ?? 8080), host = process.env.HOST } = {}) => {
  let isStopping = false;
  const server = createServer((request, response) => {
    if (isStopping) response.setHeader('connection', 'close');
    response.on('close', () => {
      if (isStopping) setImmediate(() => server.closeIdleConnections());
    });
    handler(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  const stop = () =>
    new Promise((resolve) => {
      isStopping = true;
      server.close(resolve);
      setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS).unref();
    });
  return { port: server.address().port, stop };
};

/** Calls `stop` at the first SIGTERM or SIGINT, then ends the process. */
export const onStop = (stop) => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, async () => {
      await stop(signal);
      process.exit(0);
    });
  }
};
