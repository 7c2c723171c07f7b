/** Reads Backstage's catalog-info files: systems become platforms, domains portfolios, and components applications or products. */
import { parseDocument } from 'yaml';
import * as z from 'zod/mini';
import { maxBackstageMegabytes, maxImportRows } from '@slipway/contract/catalog/import.ts';
import type { Db } from '#db/database.ts';
import { errorMessage } from '#kernel/caught.ts';
import { cellOf, tooLarge, unreadable, type FileRow } from '../imports/read-file.ts';
import { annotations } from './annotations.ts';

/** Columns of the rows that entities become. */
export const backstageColumns = [
  'kind',
  'entityRef',
  'name',
  'description',
  'owners',
  'platform',
  'portfolio',
  'entrySubtype',
  'code',
  'entryId',
  'tags',
  'lifecycle',
] as const;

/** Fields of another type than Backstage's are read as absent. */
const orElse = z.catch;
const text = orElse(z.optional(z.string()), undefined);
const list = orElse(z.optional(z.array(z.string())), undefined);
const Entity = z.object({
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: text,
    title: text,
    description: text,
    tags: list,
    annotations: orElse(z.optional(z.record(z.string(), z.unknown())), undefined),
  }),
  spec: orElse(
    z.object({
      type: text,
      owner: text,
      system: text,
      domain: text,
      lifecycle: text,
      members: list,
      memberOf: list,
      profile: orElse(z.optional(z.object({ email: text })), undefined),
    }),
    {},
  ),
});
type Entity = z.infer<typeof Entity>;

const maxDocument = 256 * 1024;
/** Splits at document markers, which YAML forbids at the start of a line elsewhere. */
const documentsIn = (yaml: string): string[] => yaml.replaceAll('\r\n', '\n').split(/^---(?=[ \t\n]|$)/m);

/** `payments`, `group:payments` and `group:default/payments` name the same entity. */
export const refOf = (reference: string, { kind, namespace = 'default' }: { kind: string; namespace?: string | undefined }): string => {
  const [, ofKind = kind, ofNamespace = namespace, name = ''] = /^(?:([^:/]+):)?(?:([^:/]+)\/)?(.+)$/.exec(reference.trim()) ?? [];
  return `${ofKind}:${ofNamespace}/${name}`.toLowerCase();
};
const entityRef = ({ kind, metadata: { name, namespace } }: Entity): string => refOf(name, { kind, namespace });

/** Returns undefined for an empty document. */
const parsed = (source: string, number: number): Entity | undefined => {
  if (source.length > maxDocument) throw tooLarge('256 KB per document');
  let value: unknown;
  try {
    // The check for repeated keys compares each key with every other key. A few aliases can stand for a huge document, so all are refused.
    const document = parseDocument(source, { logLevel: 'silent', uniqueKeys: false });
    const [problem] = document.errors;
    if (problem) throw problem;
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw unreadable(`document ${number}: ${errorMessage(error).split('\n')[0] ?? ''}`, error);
  }
  if (value === undefined || value === null) return undefined;
  const { data, error } = Entity.safeParse(value);
  if (!data) throw unreadable(`document ${number} is no entity: ${error.issues[0]?.path.join('.') ?? ''} is missing`);
  return data;
};

/** Resolves owners to e-mail addresses and ids of people: users of the file, members of its groups, or a team of the platform. */
const ownersOf = async (db: Db, entities: readonly Entity[]): Promise<(entity: Entity) => string> => {
  const people = new Map<string, string>();
  const groups = new Map<string, Set<string>>();
  const groupOf = (ref: string): Set<string> => {
    const known = groups.get(ref) ?? new Set<string>();
    groups.set(ref, known);
    return known;
  };
  for (const entity of entities) {
    const { namespace } = entity.metadata;
    const ref = entityRef(entity);
    if (entity.kind === 'User') {
      people.set(ref, entity.spec.profile?.email ?? entity.metadata.name);
      for (const group of entity.spec.memberOf ?? []) groupOf(refOf(group, { kind: 'group', namespace })).add(ref);
    }
    if (entity.kind === 'Group') for (const user of entity.spec.members ?? []) groupOf(ref).add(refOf(user, { kind: 'user', namespace }));
  }
  const nameIn = (ref: string): string => ref.slice(ref.indexOf('/') + 1);
  const wanted = entities.flatMap(({ spec: { owner }, metadata: { namespace } }) =>
    owner === undefined ? [] : [refOf(owner, { kind: 'group', namespace })],
  );
  const unknown = [...new Set(wanted.filter((ref) => ref.startsWith('group:') && !groups.has(ref)).map(nameIn))];
  const members =
    unknown.length === 0
      ? []
      : await db.selectFrom('team_member').selectAll().where('team_id', 'in', unknown).where('role', '=', 'OWNER').execute();
  return ({ spec: { owner }, metadata }) => {
    const given = metadata.annotations?.[annotations.owners];
    if (typeof given === 'string') return given;
    if (owner === undefined) return '';
    const ref = refOf(owner, { kind: 'group', namespace: metadata.namespace });
    const of = groups.get(ref);
    if (of && of.size > 0) return [...of].map((user) => people.get(user) ?? nameIn(user)).join('; ');
    const team = members.filter(({ team_id: id }) => id === nameIn(ref)).map(({ identity_id: id }) => id);
    return team.length > 0 ? team.join('; ') : (people.get(ref) ?? nameIn(ref));
  };
};

const isProduct = ({ kind, spec }: Entity): boolean => kind === 'Component' && spec.type === 'product';
const annotationIn = ({ metadata }: Entity, name: string): string => {
  const value = metadata.annotations?.[name];
  return typeof value === 'string' ? value : '';
};
/** `parentIn` returns the catalog id of a parent that the file has from an export, or its reference. */
const cellsOf = (entity: Entity, owners: string, parentIn: (ref: string) => string): string[] => {
  const { kind, metadata, spec } = entity;
  const { namespace } = metadata;
  const cells: Record<(typeof backstageColumns)[number], string> = {
    kind: isProduct(entity) ? 'product' : kind,
    entityRef: entityRef(entity),
    name: metadata.title ?? metadata.name,
    description: metadata.description ?? '',
    owners,
    platform: spec.system === undefined ? '' : parentIn(refOf(spec.system, { kind: 'system', namespace })),
    portfolio: spec.domain === undefined ? '' : parentIn(refOf(spec.domain, { kind: 'domain', namespace })),
    entrySubtype: annotationIn(entity, annotations.type),
    code: annotationIn(entity, annotations.code),
    entryId: annotationIn(entity, annotations.id),
    tags: (metadata.tags ?? []).join('; '),
    lifecycle: spec.lifecycle ?? '',
  };
  return backstageColumns.map((column) => cellOf(cells[column]));
};

/** Parses all documents, and lets other work run in between. */
export const backstageRows = async (db: Db, yaml: string): Promise<FileRow[]> => {
  if (Buffer.byteLength(yaml) > maxBackstageMegabytes * 1024 * 1024) throw tooLarge(`${maxBackstageMegabytes} MB`);
  const entities: { number: number; entity: Entity }[] = [];
  for (const [at, source] of documentsIn(yaml).entries()) {
    if (at % 50 === 49) await new Promise((resolve) => void setImmediate(resolve));
    const number = entities.length + 1;
    const entity = parsed(source, number);
    if (entity) entities.push({ number, entity });
    if (entities.length > maxImportRows) throw tooLarge(`${maxImportRows.toLocaleString('en')} documents`);
  }
  if (entities.length === 0) throw unreadable('it contains no entities');
  const owners = await ownersOf(
    db,
    entities.map(({ entity }) => entity),
  );
  const ids = new Map(entities.map(({ entity }) => [entityRef(entity), annotationIn(entity, annotations.id)]));
  const parentIn = (ref: string): string => ids.get(ref) || ref;
  return entities.map(({ number, entity }) => ({ line: number, cells: cellsOf(entity, owners(entity), parentIn) }));
};
