/** Uploads files to a catalog of a test, and works imports off as a worker does. */
import { expect } from 'vitest';
import { pino } from 'pino';
import {
  catalogImportCreate,
  catalogImportRows,
  catalogImportStart,
  catalogImportView,
  type CatalogImport,
  type CatalogImportRow,
} from '@slipway/contract/catalog/import.ts';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Actor } from '#testing/actors.ts';
import { noteReached } from '#testing/reached.ts';
import type { CatalogWorld } from '../catalog.fixture.ts';
import { workOff, type Deps } from './import-worker.ts';

export const importDeps = (world: CatalogWorld): Deps => ({
  ...world.deps(),
  pool: world.app().database.pool,
  log: pino({ level: 'silent' }),
});
const forever = new AbortController().signal;
/** Works until nothing is left. */
export const workAll = async (deps: Deps): Promise<void> => {
  while (await workOff(deps, forever));
};

export const importer = (world: CatalogWorld) => {
  const send = async (actor: Actor, content: string | Uint8Array<ArrayBuffer>, type = 'text/csv', name = 'apps.csv') => {
    const token = await world.app().apiToken(actor, ['write']);
    return fetch(`${world.app().url}${pathOf(catalogImportCreate)}?fileName=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: content,
    });
  };
  const upload = async (actor: Actor, content: string, type?: string): Promise<CatalogImport> => {
    const answer = await send(actor, content, type);
    const body = (await answer.json()) as CatalogImport;
    expect([answer.status, body]).toEqual([201, body]);
    return body;
  };
  const refused = async (actor: Actor, content: string | Uint8Array<ArrayBuffer>, type?: string): Promise<string> => {
    const answer = await send(actor, content, type);
    const { code, message } = (await answer.json()) as ErrorObject & { code: string; message: string };
    noteReached(code);
    return `${answer.status} ${code} ${message}`;
  };
  const view = (actor: Actor, { id: importId }: Pick<CatalogImport, 'id'>) =>
    world.good<CatalogImport>(actor, catalogImportView, { params: { importId } });
  const rows = async (actor: Actor, { id: importId }: Pick<CatalogImport, 'id'>): Promise<CatalogImportRow[]> => {
    const { content } = await world.good<{ content: CatalogImportRow[] }>(actor, catalogImportRows, {
      params: { importId },
      query: { size: 100 },
    });
    for (const { code } of content) if (code !== null) noteReached(code);
    return content;
  };
  return {
    send,
    upload,
    refused,
    view,
    rows,
    /** Uploads and checks. */
    check: async (actor: Actor, content: string, type?: string): Promise<CatalogImport> => {
      const made = await upload(actor, content, type);
      await workAll(importDeps(world));
      return view(actor, made);
    },
    /** Starts and works off. */
    start: async (actor: Actor, made: Pick<CatalogImport, 'id'>): Promise<CatalogImport> => {
      await world.good(actor, catalogImportStart, { params: { importId: made.id } });
      await workAll(importDeps(world));
      return view(actor, made);
    },
  };
};
/** One line for each row: `2 CREATE application Berth plan` or `3 REFUSED owners OwnerNotInDirectory`. */
export const said = (rows: readonly CatalogImportRow[]): string[] =>
  rows.map(({ line, outcome, kind, name, field, code }) =>
    [line, outcome, ...(code === null ? [kind, name] : [field, code])].filter((part) => part !== null).join(' '),
  );
