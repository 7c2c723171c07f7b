/** Speaks OCI distribution 1.1 to any registry: pushes blobs and manifests, pulls them with every digest checked. */
import { Readable } from 'node:stream';

import { noSpace } from '@slipway/foundation/no-space.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { RobotAction } from '@slipway/foundation/ports/registry.ts';

import { DigestMeter, digestPattern, sha256 } from './digest.ts';
import type { Document } from './image-documents.ts';
import { acceptedManifests, isIndex, isManifest } from './media-types.ts';
import { RegistryAccess } from './registry-access.ts';
import type { AccessOptions, Scope } from './registry-access.ts';

const PULL: readonly RobotAction[] = ['pull'];
const PUSH: readonly RobotAction[] = ['pull', 'push'];
const ANSWER_TIMEOUT_MS = 30_000;
// Moving a large layer may take a while; a registry that stops answering is noticed by the transport's own timeouts.
const TRANSFER_TIMEOUT_MS = 600_000;
// The distribution specification's limit for manifests.
const MANIFEST_LIMIT_BYTES = 4 << 20;

interface Ask {
  readonly method: string;
  readonly scope: Scope;
  readonly headers?: Record<string, string>;
  /** Made anew for every try, because a stream can be sent only once. */
  readonly body?: () => Uint8Array | Readable;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}
export interface BlobUpload {
  readonly digest: string;
  readonly size: number;
  readonly body: () => Uint8Array | Readable;
}

const errorText = async (response: Response): Promise<string> => (await response.text().catch(() => '')).slice(0, 500);

export class OciClient {
  readonly #baseUrl: string;
  readonly #access: RegistryAccess;

  /** `baseUrl` without `/v2`, e.g. `http://127.0.0.1:4000`. */
  constructor(options: AccessOptions) {
    this.#baseUrl = options.baseUrl.replace(/\/$/, '');
    this.#access = new RegistryAccess(options);
  }

  async hasBlob(repository: string, digest: string, signal?: AbortSignal): Promise<boolean> {
    const response = await this.#ask(`/v2/${repository}/blobs/${digest}`, { method: 'HEAD', scope: { repository, actions: PUSH }, signal });
    await response.body?.cancel();
    if (response.ok) return true;
    if (response.status === 404) return false;
    throw this.#failure(response, `look for ${digest} in ${repository}`, '');
  }

  /** Makes a blob of one repository part of another without sending it. False where the registry would rather have it sent. */
  async linkBlob(repository: string, digest: string, from: string, signal?: AbortSignal): Promise<boolean> {
    if (await this.hasBlob(repository, digest, signal)) return true;
    const scope = { repository, actions: PUSH, mountFrom: from };
    const query = new URLSearchParams({ mount: digest, from });
    const response = await this.#ask(`/v2/${repository}/blobs/uploads/?${query.toString()}`, { method: 'POST', scope, signal });
    const text = await errorText(response);
    if (response.status === 201) return true;
    if (response.status !== 202) throw this.#failure(response, `link ${digest} from ${from} to ${repository}`, text);
    const unused = await this.#ask(this.#uploadAddress(response).href, { method: 'DELETE', scope, signal });
    await unused.body?.cancel();
    return false;
  }

  /** Sends a blob; answers false when the repository had it. Unavailable when the registry is down, rejected when it refuses. */
  async pushBlob(repository: string, blob: BlobUpload, signal?: AbortSignal): Promise<boolean> {
    if (await this.hasBlob(repository, blob.digest, signal)) return false;
    const start = await this.#ask(`/v2/${repository}/blobs/uploads/`, { method: 'POST', scope: { repository, actions: PUSH }, signal });
    const startText = await errorText(start);
    if (start.status !== 202) throw this.#failure(start, `start an upload to ${repository}`, startText);
    const address = this.#uploadAddress(start);
    address.searchParams.set('digest', blob.digest);
    const response = await this.#ask(address.href, {
      method: 'PUT',
      scope: { repository, actions: PUSH },
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(blob.size) },
      body: blob.body,
      signal,
      timeoutMs: TRANSFER_TIMEOUT_MS,
    });
    const text = await errorText(response);
    if (response.status !== 201) throw this.#failure(response, `store ${blob.digest} in ${repository}`, text);
    return true;
  }

  /** Stores a manifest under a tag or its digest. Its blobs must be there. */
  async pushManifest(repository: string, reference: string, manifest: Document, signal?: AbortSignal): Promise<void> {
    const response = await this.#ask(`/v2/${repository}/manifests/${reference}`, {
      method: 'PUT',
      scope: { repository, actions: PUSH },
      headers: { 'content-type': manifest.mediaType },
      body: () => manifest.bytes,
      signal,
    });
    const text = await errorText(response);
    if (response.status !== 201) throw this.#failure(response, `store the manifest ${reference} in ${repository}`, text);
  }

  /** A manifest or index by tag or digest. notFound when there is none, rejected when it is not what it claims to be. */
  async pullManifest(repository: string, reference: string, signal?: AbortSignal): Promise<Document> {
    const response = await this.#ask(`/v2/${repository}/manifests/${reference}`, {
      method: 'GET',
      scope: { repository, actions: PULL },
      headers: { accept: acceptedManifests },
      signal,
    });
    const name = `${repository}@${reference}`;
    if (!response.ok) throw this.#failure(response, `read ${name}`, await errorText(response));
    const bytes = await this.#bytes(response, name, MANIFEST_LIMIT_BYTES);
    const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    if (!isManifest(mediaType) && !isIndex(mediaType)) throw this.#bad(`${name} is not an image but ${mediaType || 'nothing known'}`);
    const digest = sha256(bytes);
    if (digestPattern.test(reference) && digest !== reference) throw this.#bad(`${name} came with other content, ${digest}`);
    return { mediaType, digest, bytes };
  }

  /** A small blob, whole, with its digest checked. */
  async pullDocument(
    repository: string,
    blob: { digest: string; size: number },
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    if (blob.size > limitBytes) throw this.#bad(`${blob.digest} is larger than ${limitBytes} bytes`);
    const response = await this.#blob(repository, blob.digest, signal);
    const bytes = await this.#bytes(response, `${repository}@${blob.digest}`, limitBytes);
    if (sha256(bytes) !== blob.digest) throw this.#bad(`${repository}@${blob.digest} came with other content`);
    return bytes;
  }

  /** The bytes of a blob as they come. The reader measures them with a `DigestMeter` before it believes them. */
  async pullBlob(repository: string, digest: string, signal?: AbortSignal): Promise<Readable> {
    const { body } = await this.#blob(repository, digest, signal);
    return body === null ? Readable.from([]) : Readable.fromWeb(body);
  }

  async #blob(repository: string, digest: string, signal: AbortSignal | undefined): Promise<Response> {
    const scope = { repository, actions: PULL };
    const response = await this.#ask(`/v2/${repository}/blobs/${digest}`, { method: 'GET', scope, signal, timeoutMs: TRANSFER_TIMEOUT_MS });
    if (!response.ok) throw this.#failure(response, `read ${repository}@${digest}`, await errorText(response));
    return response;
  }

  async #bytes(response: Response, name: string, limitBytes: number): Promise<Uint8Array> {
    const meter = new DigestMeter((count) => (count > limitBytes ? this.#bad(`${name} is larger than ${limitBytes} bytes`) : undefined));
    if (response.body === null) return new Uint8Array();
    try {
      return Buffer.concat(await Readable.fromWeb(response.body).compose(meter).toArray());
    } catch (cause) {
      throw cause instanceof PortFailure
        ? cause
        : new PortFailure('unavailable', `the registry broke off while sending ${name}`, { cause });
    }
  }

  #uploadAddress(response: Response): URL {
    const address = new URL(response.headers.get('location') ?? '', `${this.#baseUrl}/`);
    if (address.origin !== new URL(this.#baseUrl).origin) {
      throw new PortFailure('rejected', `the registry sends uploads elsewhere: ${address.origin}`, { code: 'RegistryDenied' });
    }
    return address;
  }

  async #ask(path: string, ask: Ask): Promise<Response> {
    const first = await this.#send(path, ask, await this.#access.header(ask.scope));
    if (first.status !== 401) return first;
    await first.body?.cancel();
    const answer = await this.#access.answer(ask.scope, first.headers.get('www-authenticate') ?? '');
    return answer === undefined ? first : this.#send(path, ask, answer);
  }

  async #send(path: string, ask: Ask, authorization: string | undefined): Promise<Response> {
    const timeout = AbortSignal.timeout(ask.timeoutMs ?? ANSWER_TIMEOUT_MS);
    const body = ask.body?.();
    // Whoever reads it fails with it. A file that is gone before it is opened fails later than the call, when nobody reads any more.
    if (body instanceof Readable) body.on('error', () => {});
    try {
      return await fetch(path.startsWith('/') ? this.#baseUrl + path : path, {
        method: ask.method,
        headers: { ...ask.headers, ...(authorization === undefined ? {} : { authorization }) },
        // Only reading may be sent on, to the registry's storage; fetch drops the Authorization header on the way to another origin.
        redirect: ask.method === 'GET' || ask.method === 'HEAD' ? 'follow' : 'error',
        signal: ask.signal === undefined ? timeout : AbortSignal.any([timeout, ask.signal]),
        ...(body === undefined ? {} : { body, duplex: 'half' as const }),
      });
    } catch (cause) {
      ask.signal?.throwIfAborted();
      throw new PortFailure('unavailable', `the registry at ${this.#baseUrl} does not answer`, { cause });
    } finally {
      if (body instanceof Readable) body.destroy();
    }
  }

  #failure(response: Response, what: string, text: string): PortFailure {
    const { status } = response;
    const message = `the registry answers ${status} to: ${what}${text === '' ? '' : ` (${text})`}`;
    if (status === 404) return new PortFailure('notFound', message);
    if (status === 507) return noSpace(message);
    if (status >= 500 || status === 429) return new PortFailure('unavailable', message);
    return new PortFailure('rejected', message, { code: status === 401 || status === 403 ? 'RegistryDenied' : 'RegistryRefused' });
  }

  #bad(message: string): PortFailure {
    return new PortFailure('rejected', message, { code: 'ImageContentInvalid' });
  }
}
