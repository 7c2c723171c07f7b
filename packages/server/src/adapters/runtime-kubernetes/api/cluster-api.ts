/**
 * Calls to one cluster's API server. The client library reads the kubeconfig and signs requests: certificates, tokens, exec plugins, or the
 * pod's own account. Objects stay as they are on the wire, because watches and answers must be comparable.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { PortFailure } from '#ports/failure.ts';
import { MANAGER } from '../objects/names.ts';
import { pathOfObject, type KubeObject } from './kube-object.ts';

export interface ClusterSource {
  /** A kubeconfig file. Undefined uses the account of the pod in which the server runs, or the user's default file. */
  readonly kubeconfig: string | undefined;
  /** Defaults to the file's current context. */
  readonly context: string | undefined;
}
interface Call {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** Deadline for the answer's head, and for the body of answers that are read whole. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const PING_MS = 3000;
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

export class ClusterApi {
  readonly #config: KubeConfig;
  readonly #server: URL;

  constructor(config: KubeConfig, server: string) {
    this.#config = config;
    this.#server = new URL(server);
  }

  /** Loads the client library, which only servers with a cluster need. */
  static async open({ context, kubeconfig }: ClusterSource): Promise<ClusterApi> {
    const { KubeConfig } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
    if (context !== undefined) config.setCurrentContext(context);
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) throw new PortFailure('rejected', `The kubeconfig ${kubeconfig ?? ''} names no cluster.`);
    return new ClusterApi(config, server);
  }

  async get(path: string, query: Call['query'] = {}): Promise<unknown> {
    return this.#read(path, { query });
  }

  /** Posts a question, such as whether this account has a right. Nothing is stored. */
  async review(path: string, body: object): Promise<unknown> {
    return this.#read(path, { method: 'POST', body });
  }

  /** Resolves to the version if the API server answers soon. A watch alone does not notice an API server that hangs. */
  async ping(): Promise<string | undefined> {
    const answer = await this.#read('/version', { timeoutMs: PING_MS });
    return isRecord(answer) && typeof answer['gitVersion'] === 'string' ? answer['gitVersion'] : undefined;
  }

  /** Creates the object or makes it as wanted (server-side apply). Takes over fields that others changed. A dry run rejects unknown fields. */
  async apply(object: KubeObject, { isDryRun = false } = {}): Promise<KubeObject> {
    const query = { fieldManager: MANAGER, force: 'true', ...(isDryRun ? { dryRun: 'All', fieldValidation: 'Strict' } : {}) };
    return asObject(await this.#read(pathOfObject(object), { method: 'PATCH', query, body: object, contentType: APPLY }));
  }

  /** Replaces the object as a whole, including the fields that Slipway does not apply. */
  async replace(object: KubeObject): Promise<KubeObject> {
    return asObject(await this.#read(pathOfObject(object), { method: 'PUT', query: { fieldManager: MANAGER }, body: object }));
  }

  /** Sets labels of one object, and removes those that are null. Changes nothing else. */
  async label(path: string, labels: Readonly<Record<string, string | null>>): Promise<KubeObject> {
    const query = { fieldManager: MANAGER };
    return asObject(
      await this.#read(path, { method: 'PATCH', query, body: { metadata: { labels } }, contentType: MERGE, timeoutMs: PING_MS }),
    );
  }

  /** Does nothing if the object does not exist. With `uid`, deletes only that object and not a later one of the same name. */
  async delete(object: Pick<KubeObject, 'kind' | 'metadata'>): Promise<void> {
    const { uid } = object.metadata;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', ...(uid ? { preconditions: { uid } } : {}) };
    try {
      await this.#read(pathOfObject(object), { method: 'DELETE', body });
    } catch (error) {
      if (!(error instanceof PortFailure) || (error.kind !== 'notFound' && !(uid && error.kind === 'conflict'))) throw error;
    }
  }

  /** Opens an answer that goes on, such as a watch or a log. */
  async stream(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    const answer = await this.#open(path, { query, signal });
    if (answer.statusCode === 200) return answer;
    throw failureOf(answer.statusCode ?? 0, await textOf(answer));
  }

  async #read(path: string, call: Call): Promise<unknown> {
    const signal = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
    const answer = await this.#open(path, { ...call, signal });
    const text = await textOf(answer).catch((cause: unknown) => {
      throw away(cause);
    });
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) throw failureOf(status, text);
    return text === '' ? undefined : JSON.parse(text);
  }

  async #open(
    path: string,
    { body, contentType = 'application/json', method = 'GET', query = {}, signal }: Call,
  ): Promise<IncomingMessage> {
    const url = new URL(this.#server.pathname.replace(/\/$/, '') + path, this.#server);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const payload = body && Buffer.from(JSON.stringify(body));
    const options: https.RequestOptions = {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': MANAGER,
        ...(payload ? { 'content-type': contentType, 'content-length': payload.length } : {}),
      },
      signal,
    };
    await this.#config.applyToHTTPSOptions(options).catch((cause: unknown) => {
      throw new PortFailure('unavailable', 'The credentials of the cluster cannot be read.', { cause });
    });
    return new Promise((resolve, reject) => {
      const { request } = url.protocol === 'http:' ? http : https;
      const asking = request(url, options, resolve);
      asking.once('error', (cause) => reject(away(cause)));
      asking.end(payload);
    });
  }
}

const textOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const asObject = (value: unknown): KubeObject => {
  if (!isRecord(value) || typeof value['kind'] !== 'string') throw new PortFailure('unavailable', 'The API server sent no object.');
  return value as unknown as KubeObject;
};

const away = (cause: unknown): PortFailure =>
  new PortFailure('unavailable', `The API server does not answer (${cause instanceof Error ? cause.message : String(cause)}).`, { cause });

const kinds: Readonly<Record<number, PortFailure['kind']>> = {
  400: 'rejected',
  403: 'rejected',
  404: 'notFound',
  409: 'conflict',
  422: 'rejected',
};

/** 403 also covers quotas and rights that the server's account lacks. The message of the API server says which. */
function failureOf(status: number, text: string): PortFailure {
  let message = text.slice(0, 500);
  try {
    const said: unknown = JSON.parse(text);
    if (isRecord(said) && typeof said['message'] === 'string') message = said['message'];
  } catch {
    // Proxies answer with other texts.
  }
  return new PortFailure(kinds[status] ?? 'unavailable', `The API server answers ${status}: ${message}`);
}
