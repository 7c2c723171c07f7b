/** Images for a bench, pushed as any client would: the layers of one that is there, with another program to start. */
import { createHash } from 'node:crypto';
import { token, type Platform } from '../platform.ts';

interface Manifest {
  config: { mediaType: string; digest: string; size: number };
}
interface Config {
  config: { Entrypoint?: string[]; Cmd?: string[] };
}

/**
 * Says who it is, takes its time for every fiftieth request, and ends at once when it is asked to, whatever it is doing: what most
 * programs do that know nothing of signals.
 */
export const serving = (version: string): string => `let count = 0;
const server = require('node:http').createServer((request, response) =>
  setTimeout(() => response.end('${version}'), count++ % 50 === 0 ? 400 : 0));
server.listen(Number(process.env.PORT));
process.on('SIGTERM', () => process.exit(0));`;
export const crashing = `console.error('Error: no berth is free'); process.exit(3);`;
export const unhealthy = `require('node:http').createServer((request, response) => { response.statusCode = 500; response.end(); }).listen(Number(process.env.PORT));`;
export const wrongPort = `require('node:http').createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1');`;

/** Answers a function that pushes `{repository}:{tag}`, which runs `program`. */
export const imagePusher = async (platform: Platform, repository: string, from: string) => {
  const basic = `Basic ${Buffer.from(`bench:${token}`).toString('base64')}`;
  const granted = await fetch(`${platform.url}/v2/token?service=platform-registry&scope=repository:${repository}:pull,push`, {
    headers: { authorization: basic },
  });
  const { token: bearer } = (await granted.json()) as { token: string };
  const ask = async (method: string, path: string, body?: Buffer, type = 'application/octet-stream'): Promise<Response> => {
    const headers = { authorization: `Bearer ${bearer}`, accept: '*/*', ...(body ? { 'content-type': type } : {}) };
    const url = new URL(path, platform.url);
    const answer = await fetch(url, { method, headers, ...(body ? { body: new Uint8Array(body) } : {}) });
    if (!answer.ok) throw new Error(`${method} ${url.pathname} answered ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const found = await ask('GET', `/v2/${repository}/manifests/${from}`);
  const mediaType = found.headers.get('content-type') ?? '';
  const manifest = (await found.json()) as Manifest;
  const config = (await (await ask('GET', `/v2/${repository}/blobs/${manifest.config.digest}`)).json()) as Config;
  return async (tag: string, program: string): Promise<void> => {
    const entry = [config.config.Entrypoint?.[0] ?? config.config.Cmd?.[0] ?? 'node', '-e', program];
    const bytes = Buffer.from(JSON.stringify({ ...config, config: { ...config.config, Entrypoint: entry, Cmd: [] } }));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const started = await ask('POST', `/v2/${repository}/blobs/uploads/`);
    const upload = new URL(started.headers.get('location') ?? '', platform.url);
    upload.searchParams.set('digest', digest);
    await ask('PUT', upload.href, bytes);
    const changed = { ...manifest, config: { ...manifest.config, digest, size: bytes.length } };
    await ask('PUT', `/v2/${repository}/manifests/${tag}`, Buffer.from(JSON.stringify(changed)), mediaType);
  };
};
