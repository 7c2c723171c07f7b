/**
 * Keeps a copy of the objects of one kind by list and watch: with bookmarks, a new list after an expired version and at intervals, and
 * growing delays after failures.
 */
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { ClusterApi } from './cluster-api.ts';
import { pathOf, type KubeObject, type Resource } from './kube-object.ts';

export interface WatchOptions {
  readonly api: ClusterApi;
  readonly resource: Resource;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly log: Log;
  /** Called with the new and the former object. One of them is undefined for additions and removals. */
  readonly onChange: (object: KubeObject | undefined, former: KubeObject | undefined) => void;
  /** Keeps the metadata alone, for objects that are read once. */
  readonly isSlim?: true;
  /** Shortened in tests. */
  readonly resyncMs?: number;
}

const PAGE = '500';
const RESYNC_MS = 30 * 60_000;
/** The API server ends a watch after this time. */
const WATCH_SECONDS = 290;
/** A watch without any line for longer is dead. Bookmarks come about every minute. */
const SILENT_MS = 150_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 15_000;

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

export class ObjectWatch {
  readonly #options: WatchOptions;
  readonly #objects = new Map<string, KubeObject>();
  readonly #ending = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #version: string | undefined;
  #listedAt = 0;
  /** Undefined while the copy is current. */
  #failure: { readonly error: Error; readonly sinceMs: number } | undefined;
  #running: Promise<void> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#synced.promise.catch(() => {});
  }

  /** Resolves when the first list has been read, and rejects if it fails. */
  async start(): Promise<void> {
    this.#running ??= this.#run();
    await this.#synced.promise;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#synced.reject(new Error('The watch has ended.'));
    await this.#running;
  }

  get objects(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  /** Stores an object that an answer contained, so that a later read does not depend on the watch's speed. */
  put(object: KubeObject): void {
    this.#set(object);
  }

  /** Returns why the copy is outdated, and since when. */
  get failure(): { readonly error: Error; readonly sinceMs: number } | undefined {
    return this.#failure;
  }

  async #run(): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    while (!this.#ending.signal.aborted) {
      try {
        if (this.#version === undefined || performance.now() - this.#listedAt > (this.#options.resyncMs ?? RESYNC_MS)) await this.#list();
        this.#failure = undefined;
        this.#synced.resolve();
        const startedAt = performance.now();
        await this.#watch(() => {
          delayMs = FIRST_DELAY_MS;
          this.#failure = undefined;
        });
        // A proxy may end every watch at once.
        if (performance.now() - startedAt < FIRST_DELAY_MS) await this.#pause(FIRST_DELAY_MS);
      } catch (caught) {
        if (this.#ending.signal.aborted) return;
        const error = caught instanceof Error ? caught : new Error(String(caught));
        this.#synced.reject(error);
        if (error instanceof ExpiredVersion) this.#version = undefined;
        else {
          this.#failure ??= { error, sinceMs: performance.now() };
          this.#options.log.debug({ err: error, kind: this.#options.resource.kind }, 'a watch was interrupted');
          // Rights and paths do not change soon.
          if (isPortFailure(error, 'rejected')) delayMs = LONGEST_DELAY_MS;
        }
        await this.#pause(delayMs);
        delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }

  get #query(): Record<string, string> {
    const { fieldSelector, labelSelector } = this.#options;
    return { ...(labelSelector === undefined ? {} : { labelSelector }), ...(fieldSelector === undefined ? {} : { fieldSelector }) };
  }

  async #list(): Promise<void> {
    const { api, resource } = this.#options;
    const seen = new Set<string>();
    let token = '';
    let version: string | undefined;
    do {
      const page = await api.get(pathOf(resource), { ...this.#query, limit: PAGE, ...(token ? { continue: token } : {}) });
      const { items, metadata } = readList(page);
      for (const item of items) {
        const object = { ...item, apiVersion: resource.apiVersion, kind: resource.kind };
        seen.add(keyOf(object));
        this.#set(object);
      }
      version = metadata.resourceVersion;
      token = metadata.continue ?? '';
    } while (token !== '' && !this.#ending.signal.aborted);
    if (token !== '') return;
    // Only a whole list is a start for a watch. A watch from the version of an interrupted list would miss what changed on its later pages.
    this.#version = version;
    // An object that was applied since the list began is missing there, and not gone.
    const isOlder = ({ metadata }: KubeObject): boolean => !(Number(metadata.resourceVersion) > Number(this.#version));
    for (const [key, object] of this.#objects) if (!seen.has(key) && isOlder(object)) this.#remove(object);
    this.#listedAt = performance.now();
  }

  async #watch(onLine: () => void): Promise<void> {
    const { api, resource } = this.#options;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error('The watch fell silent.')), SILENT_MS).unref();
    const signal = AbortSignal.any([this.#ending.signal, silence.signal]);
    const query = { ...this.#query, watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(WATCH_SECONDS) };
    try {
      const answer = await api.stream(pathOf(resource), { ...query, resourceVersion: this.#version ?? '' }, signal);
      onLine();
      const decoder = new StringDecoder('utf8');
      let rest = '';
      for await (const chunk of answer) {
        timer.refresh();
        const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#hear(line);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #hear(line: string): void {
    const event: unknown = JSON.parse(line);
    if (!isRecord(event) || !isRecord(event['object'])) return;
    const object = event['object'] as unknown as KubeObject;
    if (event['type'] === 'ERROR') throw new ExpiredVersion(String(event['object']['message']));
    this.#version = object.metadata.resourceVersion;
    if (event['type'] === 'DELETED') this.#remove(object);
    else if (event['type'] !== 'BOOKMARK') this.#set(object);
  }

  #set(object: KubeObject): void {
    const key = keyOf(object);
    const former = this.#objects.get(key);
    const [next, before] = [Number(object.metadata.resourceVersion), Number(former?.metadata.resourceVersion)];
    // An answer may overtake the watch.
    if (former && former.metadata.uid === object.metadata.uid && next <= before) return;
    this.#objects.set(key, this.#options.isSlim ? bare(object) : withoutManagers(object));
    this.#tell(object, former);
  }

  #remove(object: KubeObject): void {
    const former = this.#objects.get(keyOf(object));
    if (!former || (object.metadata.uid !== undefined && former.metadata.uid !== object.metadata.uid)) return;
    this.#objects.delete(keyOf(object));
    // The last state arrives with the removal.
    this.#tell(undefined, object.metadata.uid === undefined ? former : object);
  }

  #tell(object: KubeObject | undefined, former: KubeObject | undefined): void {
    try {
      this.#options.onChange(object, former);
    } catch (error) {
      this.#options.log.error({ err: error, kind: this.#options.resource.kind }, 'a change in the cluster could not be followed');
    }
  }
}

/** The list of managers is often longer than the rest, and nobody reads it here. */
const withoutManagers = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, managedFields: undefined } });
const bare = ({ apiVersion, kind, metadata: { name, namespace, resourceVersion, uid } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace, resourceVersion, uid },
});

/** The version is too old for a watch. A new list gives a current one. */
class ExpiredVersion extends Error {}

interface List {
  readonly items: readonly KubeObject[];
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}
const readList = (page: unknown): List => {
  if (!isRecord(page) || !Array.isArray(page['items']) || !isRecord(page['metadata'])) throw new Error('The API server sent no list.');
  return page as unknown as List;
};
