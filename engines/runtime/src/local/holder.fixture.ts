/**
 * Test program: a replica that holds a runtime with one service until it is killed. Arguments: data directory, root file system, ingress
 * port.
 */
import { detectSandbox } from '../sandbox/detect-sandbox.ts';
import { LocalRuntime } from './local-runtime.ts';
import { imagesAt, sampleSpec, silentLog } from './runtime-subject.fixture.ts';

const [dataDir = '', rootfs = '', ingressPort] = process.argv.slice(2);
const runtime = new LocalRuntime({
  dataDir,
  ingressHost: '127.0.0.1',
  ingressPort: Number(ingressPort),
  images: imagesAt(rootfs),
  sandbox: await detectSandbox(),
  log: silentLog,
});
runtime.onEvent(({ code }) => console.log(code));
await runtime.acquire();
await runtime.ensureRevision({ ...sampleSpec('held-1'), replicas: 2 });
