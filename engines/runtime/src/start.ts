/**
 * Runs one image as a service behind the edge: `npm start -w engines/runtime -- --registry http://127.0.0.1:5000 --port 8000 team/app:1.0`.
 * The image's program must listen on the port in its variable PORT.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ImageStore } from '@slipway/images/oci/image-store.ts';
import { clientOf, imageAt, registryOptions } from '@slipway/images/registry-options.ts';
import { closeOnSignal, lineLog, openOwnDirectory } from '@slipway/foundation/run-alone.ts';
import { StartError } from '@slipway/foundation/start-error.ts';
import { LocalRuntime } from './local/local-runtime.ts';
import { detectSandbox } from './sandbox/detect-sandbox.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...registryOptions,
    directory: { type: 'string', default: 'runtime-data' },
    egress: { type: 'string', multiple: true, default: [] },
    env: { type: 'string', multiple: true, default: [] },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8000' },
    replicas: { type: 'string', default: '1' },
  },
});
const [wanted] = positionals;
if (wanted === undefined) throw new StartError('Name an image: team/app:tag');
const client = clientOf(values);
const image = await imageAt(client, wanted);
const { directory, release } = openOwnDirectory(values.directory);
const ingressPort = Number(values.port);
const runtime = new LocalRuntime({
  dataDir: path.join(directory, 'runtime'),
  ingressHost: values.host,
  ingressPort,
  images: new ImageStore({ directory: path.join(directory, 'images'), client, log: lineLog }),
  sandbox: await detectSandbox(),
  log: lineLog,
});
closeOnSignal(async () => {
  await runtime.close();
  release();
});
const [app = '', name = app] = image.repository.split('/');
const revision = `${name}-1`;
const service = { app, environment: 'development', service: name } as const;
runtime.onEvent((event) => lineLog.info(event, 'instance'));
await runtime.acquire();
await runtime.ensureRevision({
  ...service,
  revision,
  id: image.digest,
  image,
  env: Object.fromEntries(values.env.map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)])),
  files: [],
  exposedPort: 8080,
  health: undefined,
  cpuMillicores: 1000,
  memoryMegabytes: 512,
  replicas: Number(values.replicas),
  stopGraceSeconds: 10,
  egress: values.egress,
});
await runtime.setRoute(service, {
  revisions: [revision],
  domain: undefined,
  basePath: '/',
  stripBasePath: false,
  connectionTimeoutMs: 5000,
  readTimeoutMs: 60_000,
  writeTimeoutMs: 60_000,
  requestSizeLimitMb: 10,
  spikeArrestPerMinute: 0,
  excludePathPrefixes: [],
  authentication: { type: 'NO_AUTH' },
});
await runtime.routesComplete([service]);
process.stdout.write(`${runtime.url(service, '/')}\n`);
