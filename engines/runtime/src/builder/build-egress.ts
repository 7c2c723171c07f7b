/** Egress of a build's own network: the package registry and the public internet, never this machine or the networks behind it. */
import net from 'node:net';
import { egressProxy } from '../sandbox/network/egress-proxy.ts';
import type { Doorway } from '../sandbox/network/network-namespace.ts';
import type { NpmProgram } from './npm-program.ts';

const PORT = 3128;
const IDLE_MS = 300_000;
const PROXY = `http://127.0.0.1:${PORT}`;

export interface BuildEgress {
  readonly doorways: readonly Doorway[];
  /** npm settings that replace the machine's own proxies. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables for downloads by the build script itself. */
  readonly env: Readonly<Record<string, string>>;
}

/** `inside`: additional private addresses, `host` or `host:port`, that an administrator allows for builds. */
export function buildEgress({ settings }: NpmProgram, inside: readonly string[]): BuildEgress {
  const machine = settings['https-proxy'] ?? settings['proxy'];
  const server = (): net.Server => (machine === undefined ? viaOurs(settings['registry'], inside) : viaMachine(machine));
  return {
    doorways: [{ port: PORT, server }],
    settings: { proxy: PROXY, 'https-proxy': PROXY, noproxy: '' },
    env: { http_proxy: PROXY, https_proxy: PROXY, HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: '1' },
  };
}

/** The registry may be in a private network, since an administrator chose it. */
function viaOurs(registry: string | undefined, inside: readonly string[]): net.Server {
  const url = registry !== undefined && URL.canParse(registry) ? new URL(registry) : undefined;
  const port = Number(url?.port || (url?.protocol === 'http:' ? 80 : 443));
  const isNamed = (host: string, wanted: number): boolean =>
    (host === url?.hostname && wanted === port) || inside.includes(host) || inside.includes(`${host}:${wanted}`);
  return egressProxy({ verdict: (host, wanted) => (isNamed(host, wanted) ? 'any' : 'public') });
}

/** Forwards bytes to the machine's own proxy, which decides. */
function viaMachine(proxy: string): net.Server {
  const url = new URL(proxy);
  return net.createServer((socket) => {
    const outside = net.connect({ host: url.hostname, port: Number(url.port || 80) });
    outside.on('error', () => socket.destroy());
    socket.once('close', () => outside.destroy());
    outside.once('close', () => socket.destroy());
    outside.pipe(socket).pipe(outside);
    for (const end of [socket, outside]) end.setTimeout(IDLE_MS, () => end.destroy());
  });
}
