/** Makes the objects of the scene and notes each, so that a repeated run completes the scene and the removal finds what belongs to it. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  catalogImportCreate,
  catalogImportDelete,
  catalogImportRows,
  catalogImportStart,
  catalogImportView,
  type CatalogImport,
} from '@slipway/contract/catalog/import.ts';
import { serviceAccountCreate, serviceAccountTokenCreate } from '@slipway/contract/identity.ts';
import type { Db } from '#db/database.ts';
import type { Streaming } from '#ports/streaming.ts';
import { errorCode } from '#kernel/caught.ts';
import { SceneApi, SceneFailure } from './scene-api.ts';
import { sceneKinds } from './scene-kinds.ts';
import { findMadeId, findOthersIn } from './scene-objects.sql.ts';
import {
  eraseEntry,
  eraseRequestsOf,
  eraseServiceAccount,
  findEntry,
  findItem,
  findServiceAccount,
  forgetItem,
  noteItem,
  noteMadeId,
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
/** Code of PostgreSQL: another row refers to this one. */
const IS_REFERENCED = '23503';

interface Part {
  readonly kind: string;
  readonly names: Names;
}

const stateOf = (view: unknown): string | undefined =>
  typeof view === 'object' && view !== null && 'state' in view && typeof view.state === 'string' ? view.state : undefined;
const titleOf = ({ kind, names }: Part): string => `${kind} ${Object.values(names).at(-1) ?? ''}`;
const taken = (title: string): SceneFailure =>
  new SceneFailure(`The ${title} exists and does not belong to the scene. Rename or delete it, then try again.`);

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
    const parts = [part, ...more];
    const found = await this.#settled(part);
    const item = await findItem(db, part.kind, part.names);
    if (found !== undefined && !(item && (await this.#isOurs(item)))) throw taken(titleOf(part));
    if (found !== undefined && stateOf(found) !== 'NOT_CREATED') return this.#noteIds(parts);
    if (found !== undefined) await sceneKinds[part.kind]?.remove(this.api, part.names);
    // A new object has a new id.
    await this.#forget(parts);
    for (const one of parts) await noteItem(db, one.kind, one.names, runBy);
    let started: unknown;
    try {
      started = await create();
    } catch (error) {
      // Refused before anything was made: the name may belong to somebody else by now.
      if (error instanceof SceneFailure && error.status !== undefined) await this.#forget(parts);
      throw error;
    }
    try {
      await this.api.done(started);
    } finally {
      await this.#noteIds(parts);
    }
  }

  async #forget(parts: readonly Part[]): Promise<void> {
    const { db } = this.options;
    for (const { kind, names } of parts) {
      const item = await findItem(db, kind, names);
      if (item) await forgetItem(db, item.id);
    }
  }

  async #noteIds(parts: readonly Part[]): Promise<void> {
    const { db } = this.options;
    for (const { kind, names } of parts) {
      const item = await findItem(db, kind, names);
      const id = item?.madeId === null ? await findMadeId(db, kind, names) : undefined;
      if (id !== undefined) await noteMadeId(db, kind, names, id);
    }
  }

  /** False if the scene's object was deleted, and somebody else has created one of the same name since. */
  async #isOurs({ kind, names, madeId }: Item): Promise<boolean> {
    return madeId === null || (await findMadeId(this.options.db, kind, names)) === madeId;
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
    if (await findItem(db, 'note', { note })) return;
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

  /**
   * Creates entries of the catalog by an import, because those of an administrator are active at once and need no second person. The preview
   * says whether somebody else has an entry of that name. `csv` has a line for each entry. Returns their ids.
   */
  async importEntries(csv: string, entries: readonly Names[]): Promise<string[]> {
    const { db, runBy } = this.options;
    const sent = { query: { fileName: 'Demo scene' }, headers: { 'content-type': 'text/csv' }, body: csv };
    const { id: importId } = await this.api.call(catalogImportCreate, sent);
    try {
      const settled = (state: CatalogImport['state']) =>
        this.api.until(catalogImportView, { importId }, (one) => one.state === state || one.state === 'CANCELED');
      await settled('CHECKED');
      const ours = new Set<string>();
      for (const names of entries) {
        const id = await findEntry(db, names);
        if (id === undefined) continue;
        ours.add(id);
        await noteMadeId(db, 'entry', names, id);
      }
      for (const { entryId, name } of await this.#importRows(importId))
        if (entryId !== null && !ours.has(entryId)) throw taken(`entry ${name}`);
      for (const names of entries) await noteItem(db, 'entry', names, runBy);
      await this.api.call(catalogImportStart, { params: { importId } });
      await settled('DONE');
      await this.#importRows(importId);
    } finally {
      await this.api.call(catalogImportDelete, { params: { importId } });
    }
    const ids: string[] = [];
    for (const names of entries) {
      const id = await findEntry(db, names);
      if (id === undefined) throw new SceneFailure(`The entry ${names['name']} was not created.`);
      await noteMadeId(db, 'entry', names, id);
      ids.push(id);
    }
    return ids;
  }

  /** Throws if the import refused a row. */
  async #importRows(importId: string) {
    const { content } = await this.api.call(catalogImportRows, { params: { importId } });
    const refused = content.find(({ outcome }) => outcome === 'REFUSED');
    if (refused) throw new SceneFailure(`The entry ${refused.name}: ${refused.message}`);
    return content;
  }

  /** Creates an entry that waits for an approver. */
  async requestEntry(names: Names, by: string, create: () => Promise<string>): Promise<void> {
    const { db } = this.options;
    if ((await findEntry(db, names)) !== undefined) return;
    await noteItem(db, 'entry', names, by);
    try {
      await noteMadeId(db, 'entry', names, await create());
    } catch (error) {
      if (error instanceof SceneFailure && error.status !== undefined) await this.#forget([{ kind: 'entry', names }]);
      throw error;
    }
  }

  /** Removes an object if it still exists. Idempotent. */
  async remove(item: Item): Promise<void> {
    const { db } = this.options;
    const { kind, names } = item;
    if (kind === 'entry') {
      const id = item.madeId ?? (await findEntry(db, names));
      if (id !== undefined) await this.#eraseEntry(id, titleOf(item));
    } else if (kind === 'serviceAccount') {
      const id = await findServiceAccount(db, names);
      if (id !== undefined) await eraseServiceAccount(db, id);
    } else if (kind !== 'note' && (await this.#settled(item)) !== undefined && (await this.#isOurs(item))) {
      if (kind === 'application') await this.#requireOnlyOurs(names['app'] ?? '');
      await sceneKinds[kind]?.remove(this.api, names);
    }
    if (kind === 'application') await eraseRequestsOf(db, names['app'] ?? '');
    await forgetItem(db, item.id);
  }

  /** The API deletes some contents together with their app. */
  async #requireOnlyOurs(app: string): Promise<void> {
    const others = await findOthersIn(this.options.db, app);
    if (others !== undefined)
      throw new SceneFailure(`The app ${app} has the ${others}, which does not belong to the scene. Delete it first.`);
  }

  async #eraseEntry(id: string, title: string): Promise<void> {
    try {
      await eraseEntry(this.options.db, id);
    } catch (error) {
      if (errorCode(error) !== IS_REFERENCED) throw error;
      throw new SceneFailure(`The ${title} holds entries that do not belong to the scene. Move or delete them first.`, { cause: error });
    }
  }
}
