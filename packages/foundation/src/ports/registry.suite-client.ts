// A registry client for the suite. Gets its token by the challenge, like every container tool.
import { createHash } from 'node:crypto';
import type { Registry, RobotCredentials } from './registry.ts';

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';

export interface PushedImage {
  readonly digest: string;
  readonly manifest: Buffer<ArrayBuffer>;
  /** Size of layer and configuration, in bytes. */
  readonly sizeBytes: number;
  readonly layer: { readonly digest: string; readonly bytes: Buffer<ArrayBuffer> };
}
export interface SendOptions {
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** `who` is a robot account, a bearer token, or undefined for anonymous access. */
export class RegistryClient {
  readonly #baseUrl: string;
  readonly #who: RobotCredentials | string | undefined;

  constructor(registry: Pick<Registry, 'baseUrl'>, who?: RobotCredentials | string) {
    this.#baseUrl = registry.baseUrl;
    this.#who = who;
  }

  /** Sends a request. After a 401 with a challenge, repeats it with the requested token. */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Response> {
    const first = await this.#once(method, path, options, typeof this.#who === 'string' ? this.#who : undefined);
    const challenge = first.headers.get('www-authenticate');
    if (first.status !== 401 || !challenge || typeof this.#who === 'string') return first;
    await first.arrayBuffer();
    const token = await this.token(challenge);
    return token ? this.#once(method, path, options, token) : first;
  }

  /** Undefined if the credentials are rejected. */
  async token(challenge: string): Promise<string | undefined> {
    const parameters = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value ?? '']));
    const url = new URL(parameters['realm'] ?? '');
    for (const key of ['service', 'scope']) if (parameters[key]) url.searchParams.set(key, parameters[key]);
    const response = await fetch(url, { headers: this.#basic() });
    const body = (await response.json()) as { token?: string };
    return response.ok ? body.token : undefined;
  }

  #basic(): Record<string, string> {
    if (!this.#who || typeof this.#who === 'string') return {};
    return { authorization: `Basic ${Buffer.from(`${this.#who.username}:${this.#who.secret}`).toString('base64')}` };
  }

  #once(method: string, path: string, { body, headers }: SendOptions, token: string | undefined): Promise<Response> {
    const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const init = { method, headers: { ...headers, ...authorization }, redirect: 'manual' as const };
    return fetch(new URL(path, this.#baseUrl), body === undefined ? init : { ...init, body });
  }

  async pushBlob(repository: string, bytes: Buffer<ArrayBuffer>): Promise<string> {
    const digest = digestOf(bytes);
    const started = await this.send('POST', `/v2/${repository}/blobs/uploads/`);
    if (started.status !== 202) throw new Error(`upload refused with ${started.status}: ${await started.text()}`);
    const address = new URL(started.headers.get('location') ?? '', this.#baseUrl);
    address.searchParams.set('digest', digest);
    const finished = await this.send('PUT', `${address.pathname}${address.search}`, { body: bytes });
    if (finished.status !== 201) throw new Error(`blob refused with ${finished.status}: ${await finished.text()}`);
    return digest;
  }

  async pushManifest(
    repository: string,
    reference: string,
    manifest: Buffer<ArrayBuffer>,
    mediaType: string = OCI_MANIFEST,
  ): Promise<Response> {
    return this.send('PUT', `/v2/${repository}/manifests/${reference}`, { body: manifest, headers: { 'content-type': mediaType } });
  }

  /** Pushes an image with one layer that contains `content`. Throws if the registry rejects any part. */
  async pushImage(repository: string, tag: string, content: string): Promise<PushedImage> {
    const layer = Buffer.from(content);
    const config = Buffer.from(
      JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [digestOf(layer)] } }),
    );
    const describe = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
    for (const bytes of [layer, config]) await this.pushBlob(repository, bytes);
    const document = {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      config: describe('application/vnd.oci.image.config.v1+json', config),
      layers: [describe('application/vnd.oci.image.layer.v1.tar', layer)],
    };
    const manifest = Buffer.from(JSON.stringify(document));
    const response = await this.pushManifest(repository, tag, manifest);
    if (response.status !== 201) throw new Error(`manifest refused with ${response.status}: ${await response.text()}`);
    const sizeBytes = layer.length + config.length;
    return { digest: digestOf(manifest), manifest, sizeBytes, layer: { digest: digestOf(layer), bytes: layer } };
  }
}
