/** A client of a registry that costs little itself: an image is one layer, a configuration and a manifest, as docker pushes and pulls them. */
import { createHash, randomBytes, type Hash } from 'node:crypto';
import http from 'node:http';
import { once } from 'node:events';

export interface Target {
  readonly port: number;
  readonly repository: string;
  /** Keeps connections, as clients do. */
  readonly agent: http.Agent;
  readonly authorization: string | undefined;
}
/** Bytes with room for a tail that makes each copy another layer; hashed as far as they are the same. */
export interface Layer {
  readonly bytes: Buffer;
  readonly hash: Hash;
}
const TAIL_BYTES = 32;
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CHUNK_BYTES = 1024 ** 2;

export const layerOf = (size: number): Layer => {
  const bytes = randomBytes(size - TAIL_BYTES);
  return { bytes, hash: createHash('sha256').update(bytes) };
};
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Ask {
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: readonly Buffer[];
}
/** Reads the answer to its end and throws it away; answers where it points. */
const ask = async (target: Target, method: string, path: string, expected: number, { headers, body = [] }: Ask = {}): Promise<string> => {
  const { authorization, port, agent } = target;
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const request = http.request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent,
    headers: {
      ...headers,
      ...(authorization && { authorization }),
      ...(body.length > 0 || method !== 'GET' ? { 'content-length': length } : {}),
    },
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  for (const part of body) {
    for (let at = 0; at < part.length; at += CHUNK_BYTES) {
      if (!request.write(part.subarray(at, at + CHUNK_BYTES))) await once(request, 'drain');
    }
  }
  request.end();
  const [response] = await answered;
  let text = '';
  response.on('data', (chunk: Buffer) => {
    if (response.statusCode !== expected) text += chunk.toString();
  });
  await once(response, 'end');
  if (response.statusCode !== expected) throw new Error(`${method} ${path} answered ${response.statusCode}: ${text}`);
  return response.headers.location ?? '';
};

const pushBlob = async (target: Target, digest: string, body: readonly Buffer[]): Promise<void> => {
  const { repository } = target;
  await ask(target, 'HEAD', `/v2/${repository}/blobs/${digest}`, 404);
  const location = new URL(await ask(target, 'POST', `/v2/${repository}/blobs/uploads/`, 202), 'http://registry');
  location.searchParams.set('digest', digest);
  const headers = { 'content-type': 'application/octet-stream' };
  await ask(target, 'PUT', `${location.pathname}${location.search}`, 201, { headers, body });
};

export interface Image {
  readonly tag: string;
  readonly digests: readonly string[];
}
export const pushImage = async (target: Target, layer: Layer, tag: string): Promise<Image> => {
  const tail = randomBytes(TAIL_BYTES);
  const digest = `sha256:${layer.hash.copy().update(tail).digest('hex')}`;
  const config = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [digest] } }));
  await pushBlob(target, digest, [layer.bytes, tail]);
  await pushBlob(target, digestOf(config), [config]);
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size: layer.bytes.length + TAIL_BYTES }],
    }),
  );
  const headers = { 'content-type': MANIFEST };
  await ask(target, 'PUT', `/v2/${target.repository}/manifests/${tag}`, 201, { headers, body: [manifest] });
  return { tag, digests: [digestOf(config), digest] };
};

export const pullImage = async (target: Target, { tag, digests }: Image): Promise<void> => {
  await ask(target, 'GET', `/v2/${target.repository}/manifests/${tag}`, 200, { headers: { accept: MANIFEST } });
  for (const digest of digests) await ask(target, 'GET', `/v2/${target.repository}/blobs/${digest}`, 200);
};
