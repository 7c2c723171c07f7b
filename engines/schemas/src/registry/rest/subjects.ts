/** `/subjects`: list, register, look up and delete versions. */
import type { SubjectVersion } from '@slipway/foundation/ports/schema-registry.ts';
import { requireSubject, requireVersion } from '../grammar.ts';
import { errors } from '../registry-error.ts';
import * as sql from '../registry.sql.ts';
import { schemaOf } from './bodies.ts';
import type { Exchange } from './exchange.ts';
import type { Call, Route } from './route.ts';

/** Higher than other limits because names are short, and serializers' tools request all of them. */
const MOST_SUBJECTS = 100_000;

export const whichOf = (exchange: Exchange): sql.Which => {
  if (exchange.isTrue('deletedOnly')) return 'deleted';
  return exchange.isTrue('deleted') ? 'all' : 'live';
};
/** Defaults to all subjects, and so does Confluent's name for every context. */
export const prefixOf = ({ query }: Exchange): string => {
  const prefix = query.get('subjectPrefix') ?? '';
  return prefix === ':*:' ? '' : prefix;
};

/** Omits the type AVRO and empty references, as clients expect. */
export const described = ({ type, references }: Pick<SubjectVersion, 'type' | 'references'>): object => ({
  ...(type === 'AVRO' ? {} : { schemaType: type }),
  ...(references.length === 0 ? {} : { references }),
});
export const versionBody = (version: SubjectVersion): object => ({
  subject: version.subject,
  version: version.version,
  id: version.id,
  ...described(version),
  schema: version.content,
  ...(version.isDeleted ? { deleted: true } : {}),
});

const required = async (
  { store, environment, names: [name = '', text = ''], exchange }: Call,
  which = whichOf(exchange),
): Promise<SubjectVersion> => {
  const subject = requireSubject(name);
  const version = requireVersion(text);
  const found = await sql.selectVersion(store.pool, environment, subject, version, which);
  if (found) return found;
  const { versions } = await sql.selectState(store.pool, environment, subject);
  if (version === 'latest' || !versions.some(({ isDeleted }) => which !== 'live' || !isDeleted)) throw errors.noSubject(subject);
  throw errors.noVersion(version);
};

/** Returns the text, or the format that the client requests. Like Confluent's registry, returns the text for unknown formats. */
export const writtenAs = async (
  { store, environment, exchange }: Call,
  id: number,
  { type, content }: Pick<SubjectVersion, 'type' | 'content'>,
): Promise<string> => {
  if (type !== 'PROTOBUF' || exchange.query.get('format') !== 'serialized') return content;
  const schema = await store.reader.parsed(environment, id);
  const { serializedProto } = await import('../../formats/registry/serialized-proto.ts');
  return serializedProto(schema) ?? content;
};

const oneVersion = async (call: Call): Promise<object> => {
  const found = await required(call);
  return versionBody({ ...found, content: await writtenAs(call, found.id, found) });
};

const versionNumbers = async ({ store, environment, names: [name = ''], exchange }: Call): Promise<number[]> => {
  const subject = requireSubject(name);
  const which = whichOf(exchange);
  const { versions } = await sql.selectState(store.pool, environment, subject);
  const found = versions.filter(({ isDeleted }) => which === 'all' || isDeleted === (which === 'deleted'));
  if (found.length === 0) throw errors.noSubject(subject);
  const { offset, limit } = exchange.page(MOST_SUBJECTS);
  return found.slice(offset, offset + limit).map(({ version }) => version);
};

const lookUp = async ({ store, environment, names: [name = ''], exchange }: Call): Promise<object> => {
  const subject = requireSubject(name);
  const { text } = schemaOf(await exchange.body());
  const which = whichOf(exchange);
  const { versions } = await sql.selectState(store.pool, environment, subject);
  if (!versions.some(({ isDeleted }) => which !== 'live' || !isDeleted)) throw errors.noSubject(subject);
  const found = await store.lookup(environment, subject, text, which);
  if (!found) throw errors.noSchema();
  return versionBody(found);
};

const register = async ({ store, environment, names: [name = ''], exchange }: Call): Promise<object> => {
  const subject = requireSubject(name);
  const { text, id, version } = schemaOf(await exchange.body());
  const made = await store.register(environment, { subject, text, id, version });
  return { id: made.id, version: made.version };
};

const referrers = async (call: Call): Promise<number[]> => {
  const { subject, version } = await required(call, 'all');
  const found = await sql.selectReferrers(call.store.pool, call.environment, subject, [version], 'live');
  return [...new Set(found.map(({ id }) => id))].sort((a, b) => a - b);
};

const isPermanent = (exchange: Exchange): boolean => exchange.isTrue('permanent');

export const subjectRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/subjects',
    run: ({ store, environment, exchange }) =>
      sql.selectSubjects(store.pool, environment, prefixOf(exchange), whichOf(exchange), exchange.page(MOST_SUBJECTS)),
  },
  { method: 'POST', path: '/subjects/:', run: lookUp },
  {
    method: 'DELETE',
    path: '/subjects/:',
    isWrite: true,
    run: ({ store, environment, names: [name = ''], exchange }) =>
      store.remove(environment, { subject: requireSubject(name), isPermanent: isPermanent(exchange) }),
  },
  { method: 'GET', path: '/subjects/:/versions', run: versionNumbers },
  { method: 'POST', path: '/subjects/:/versions', isWrite: true, run: register },
  { method: 'GET', path: '/subjects/:/versions/:', run: oneVersion },
  {
    method: 'DELETE',
    path: '/subjects/:/versions/:',
    isWrite: true,
    run: async ({ store, environment, names: [name = '', version = ''], exchange }) => {
      const removal = { subject: requireSubject(name), version: requireVersion(version), isPermanent: isPermanent(exchange) };
      const [gone] = await store.remove(environment, removal);
      return gone;
    },
  },
  {
    method: 'GET',
    path: '/subjects/:/versions/:/schema',
    run: async (call) => call.exchange.replyText(200, (await required(call)).content),
  },
  { method: 'GET', path: '/subjects/:/versions/:/referencedby', run: referrers },
];
