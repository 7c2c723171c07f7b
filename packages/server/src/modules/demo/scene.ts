/** Makes the objects of the scene and notes each, so that a repeated run completes the scene and the removal finds what belongs to it. */
import { setTimeout as delay } from 'node:timers/promises';
import { serviceAccountCreate, serviceAccountTokenCreate } from '@slipway/contract/identity.ts';
import type { Db } from '#db/database.ts';
import type { Streaming } from '#ports/streaming.ts';
import { SceneApi, SceneFailure } from './scene-api.ts';
import { sceneKinds } from './scene-kinds.ts';
import {
  eraseEntry,
  eraseRequestsOf,
  eraseServiceAccount,
  findEntry,
  findServiceAccount,
  forgetItem,
  isOurs,
  itemsNewestFirst,
  noteItem,
  noteMadeId,
  pendingRequest,
  type Item,
  type Names,
} from './scene.sql.ts';

export interface SceneOptions {
  readonly db: Db;
  readonly api: SceneApi;
  readonly streaming: Streaming;
  /** The administrator who asked for the scene. */
  readonly runBy: string;
  /** The person who owns teams and entries. Undefined if nobody has signed in yet. */
  readonly owner: string | undefined;
  readonly serviceUrl: string;
}
interface Part {
  readonly kind: string;
  readonly names: Names;
}

const stateOf = (view: unknown): string | undefined =>
  typeof view === 'object' && view !== null && 'state' in view && typeof view.state === 'string' ? view.state : undefined;
const titleOf = ({ kind, names }: Part): string => `${kind} ${Object.values(names).at(-1) ?? ''}`;

export class Scene {
  readonly options: SceneOptions;

  constructor(options: SceneOptions) {
    this.options = options;
  }

  get api(): SceneApi {
    return this.options.api;
  }

  /**
   * Creates the object unless the scene already has it. Throws if somebody else has an object of that name. `more` are objects that the same
   * call creates.
   */
  async make(part: Part, create: () => Promise<unknown>, more: readonly Part[] = []): Promise<void> {
    const { db, runBy } = this.options;
    const found = await this.#settled(part);
    const wasOurs = await isOurs(db, part.kind, part.names);
    if (found !== undefined && !wasOurs)
      throw new SceneFailure(`The ${titleOf(part)} exists and does not belong to the scene. Rename or delete it, then try again.`);
    if (found !== undefined && stateOf(found) !== 'NOT_CREATED') return;
    if (found !== undefined) await sceneKinds[part.kind]?.remove(this.api, part.names);
    for (const one of [part, ...more]) await noteItem(db, one.kind, one.names, runBy);
    try {
      await this.api.done(await create());
    } catch (error) {
      // Refused before anything was made: the name may belong to somebody else by now.
      if (!wasOurs && error instanceof SceneFailure && error.status !== undefined) await this.#forget([part, ...more]);
      throw error;
    }
  }

  async #forget(parts: readonly Part[]): Promise<void> {
    const { db } = this.options;
    const wanted = new Set(parts.map((part) => titleOf(part)));
    for (const item of await itemsNewestFirst(db)) if (wanted.has(titleOf(item))) await forgetItem(db, item.id);
  }

  /** Reads the object. Waits while a pipeline of an earlier run still creates or deletes it. */
  async #settled({ kind, names }: Part): Promise<unknown> {
    const view = sceneKinds[kind]?.view;
    if (!view) throw new Error(`The scene knows no kind ${kind}`);
    for (;;) {
      const found: unknown = await this.api.find(view, names);
      const state = stateOf(found);
      if (state !== 'CREATING' && state !== 'DELETING') return found;
      await delay(250, undefined, { signal: this.api.signal });
    }
  }

  /** Does the work once in the life of the scene. */
  async once(note: string, work: () => Promise<void>): Promise<void> {
    const { db, runBy } = this.options;
    if (await isOurs(db, 'note', { note })) return;
    await work();
    await noteItem(db, 'note', { note }, runBy);
  }

  /** Returns the API as a service account of the team sees it: nobody may approve an own request. */
  async asServiceAccount(team: string, name: string): Promise<{ readonly api: SceneApi; readonly id: string }> {
    const { db, runBy } = this.options;
    await noteItem(db, 'serviceAccount', { team, name }, runBy);
    let identityId = await findServiceAccount(db, { team, name });
    identityId ??= (await this.api.call(serviceAccountCreate, { params: { team }, body: { displayName: name } })).identity.id;
    const body = { name: 'Demo scene', scopes: ['read' as const, 'write' as const], expiresInDays: 1 };
    const { token } = await this.api.call(serviceAccountTokenCreate, { params: { team, identityId }, body });
    return { api: new SceneApi({ base: this.api.base, token, signal: this.api.signal }), id: identityId };
  }

  /** Creates an entry of the catalog. Returns its id, and the request that it waits for. */
  async entry(
    kind: string,
    name: string,
    by: string,
    create: () => Promise<{ readonly id: string; readonly requestId: string | undefined }>,
  ) {
    const { db } = this.options;
    const names = { kind, name };
    const known = await findEntry(db, names);
    if (known !== undefined) return { id: known, requestId: await pendingRequest(db, known) };
    await noteItem(db, 'entry', names, by);
    try {
      const made = await create();
      await noteMadeId(db, 'entry', names, made.id);
      return made;
    } catch (error) {
      if (error instanceof SceneFailure && error.status !== undefined) {
        const item = (await itemsNewestFirst(db)).find((one) => one.kind === 'entry' && one.names['name'] === name);
        if (item) await forgetItem(db, item.id);
      }
      throw error;
    }
  }

  /** Removes an object if it still exists. Idempotent. */
  async remove(item: Item): Promise<void> {
    const { db } = this.options;
    const { kind, names } = item;
    if (kind === 'entry') {
      const id = item.madeId ?? (await findEntry(db, names));
      if (id !== undefined) await eraseEntry(db, id);
    } else if (kind === 'serviceAccount') {
      const id = await findServiceAccount(db, names);
      if (id !== undefined) await eraseServiceAccount(db, id);
    } else if (kind !== 'note' && (await this.#settled(item)) !== undefined) await sceneKinds[kind]?.remove(this.api, names);
    if (kind === 'application') await eraseRequestsOf(db, names['app'] ?? '');
    await forgetItem(db, item.id);
  }
}
