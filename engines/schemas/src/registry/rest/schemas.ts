/** `/schemas`: schemas by the ids in messages, and the list of all schemas. */
import { idOf } from '../grammar.ts';
import { errors } from '../registry-error.ts';
import * as sql from '../registry.sql.ts';
import type { Call, Route } from './route.ts';
import { described, prefixOf, versionBody, whichOf, writtenAs } from './subjects.ts';

const contentOf = async ({ store, environment, names: [text = ''] }: Call): Promise<sql.ContentRow & { readonly id: number }> => {
  const id = idOf(text);
  const found = id === undefined ? undefined : await sql.selectContent(store.pool, environment, id);
  if (!found || id === undefined) throw errors.noSchema(id);
  return { ...found, id };
};

const placesOf = async (call: Call): Promise<{ subject: string; version: number }[]> => {
  const { id } = await contentOf(call);
  const places = await sql.selectPlaces(call.store.pool, call.environment, id, whichOf(call.exchange));
  const subject = call.exchange.query.get('subject');
  return places.filter((place) => subject === null || place.subject === subject);
};

export const schemaRoutes: readonly Route[] = [
  { method: 'GET', path: '/schemas/types', run: async () => ['JSON', 'PROTOBUF', 'AVRO'] },
  {
    method: 'GET',
    path: '/schemas',
    run: async ({ store, environment, exchange }) => {
      const asked = {
        prefix: prefixOf(exchange),
        which: whichOf(exchange),
        isNewestOnly: exchange.isTrue('latestOnly'),
        page: exchange.page(),
      };
      return (await sql.selectVersions(store.pool, environment, asked)).map(versionBody);
    },
  },
  {
    method: 'GET',
    path: '/schemas/ids/:',
    run: async (call) => {
      const found = await contentOf(call);
      const maxId = call.exchange.isTrue('fetchMaxId') ? { maxId: await sql.selectMaxId(call.store.pool, call.environment) } : {};
      return { ...described(found), schema: await writtenAs(call, found.id, found), ...maxId };
    },
  },
  { method: 'GET', path: '/schemas/ids/:/schema', run: async (call) => call.exchange.replyText(200, (await contentOf(call)).content) },
  {
    method: 'GET',
    path: '/schemas/ids/:/subjects',
    run: async (call) => [...new Set((await placesOf(call)).map(({ subject }) => subject))],
  },
  { method: 'GET', path: '/schemas/ids/:/versions', run: placesOf },
  { method: 'GET', path: '/contexts', run: async () => ['.'] },
];
