/** Makes Backstage entities of active entries. Owners are a user, or a group of several. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { Document } from 'yaml';
import { catalogBackstageList, type BackstageEntity } from '@slipway/contract/catalog/backstage.ts';
import type { CatalogPerson, EntryKind } from '@slipway/contract/catalog/entry.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { approvers, peopleById } from '../directory/people.ts';
import type { EntryRow } from '../entries/entry-row.ts';
import { rowsById } from '../search/records.ts';
import { annotations } from './annotations.ts';

const NAME = 63;
/** Backstage allows 63 letters, digits, dashes, underscores and dots. A hash keeps changed names apart. */
const nameOf = (id: string): string => {
  const plain = id.replace(/[^\w.-]+/g, '-').replace(/^[^a-z0-9]+|[^a-z0-9]+$/gi, '');
  if (plain === id && plain.length <= NAME) return plain;
  return `${plain.slice(0, NAME - 9)}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`.replace(/^-/, '');
};
const entryName = (id: string): string => id.toLowerCase();
/** Tags are lower case. */
const tagsOf = ({ label_list: labels }: EntryRow): string[] => (labels ?? []).map(({ name }) => name.toLowerCase());

const pathOf: Readonly<Record<EntryKind, string>> = {
  application: 'applications',
  platform: 'platforms',
  portfolio: 'portfolios',
  product: 'products',
};
interface Place {
  readonly publicUrl: string;
}
const metadataOf = (row: Pick<EntryRow, 'id' | 'name'>, { publicUrl }: Place, own: Record<string, string>) => ({
  namespace: 'default' as const,
  name: entryName(row.id),
  title: row.name,
  annotations: {
    // Backstage rejects entities of a provider without them.
    'backstage.io/managed-by-location': `url:${publicUrl}${catalogBackstageList.path}`,
    'backstage.io/managed-by-origin-location': `url:${publicUrl}${catalogBackstageList.path}`,
    ...own,
  },
});

const lifecycleOf = (row: EntryRow): string => {
  if (row.target_date !== null) return 'deprecated';
  return row.production_deployed ? 'production' : 'experimental';
};
/** A platform in no portfolio has no domain: such rows came from before portfolios were required. */
const specOf = (row: EntryRow): { kind: 'Domain' | 'System' | 'Component'; spec: Record<string, unknown> } => {
  if (row.kind === 'portfolio') return { kind: 'Domain', spec: {} };
  if (row.kind === 'platform') return { kind: 'System', spec: row.portfolio_id === null ? {} : { domain: entryName(row.portfolio_id) } };
  const system = row.platform_id === null ? {} : { system: entryName(row.platform_id) };
  const product = row.product_id === null ? {} : { subcomponentOf: `component:default/${entryName(row.product_id)}` };
  return { kind: 'Component', spec: { type: row.kind, lifecycle: lifecycleOf(row), ...system, ...product } };
};

const APPROVERS = 'catalog-approvers';
const userOf = ({ id, displayName, email }: CatalogPerson, place: Place): BackstageEntity => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'User',
  metadata: { ...metadataOf({ id, name: displayName }, place, {}), name: nameOf(id) },
  spec: { profile: { displayName, ...(email === null ? {} : { email }) }, memberOf: [] },
});
const groupOf = (name: string, title: string, members: readonly string[], place: Place): BackstageEntity => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Group',
  metadata: { ...metadataOf({ id: name, name: title }, place, {}), name },
  spec: { type: 'catalog-owners', children: [], members: members.map(nameOf) },
});

/** Returns the entity of an entry, after the group of its owners if there are several. Nobody else owns an orphan but the approvers. */
const entitiesOf = (row: EntryRow, byId: ReadonlyMap<string, CatalogPerson>, place: Place): BackstageEntity[] => {
  const { kind, spec } = specOf(row);
  const groupName = `${entryName(row.id)}-owners`;
  const [only, ...others] = row.hands;
  const owner =
    only === undefined ? `group:default/${APPROVERS}` : others.length === 0 ? `user:default/${nameOf(only)}` : `group:default/${groupName}`;
  const own = {
    [annotations.id]: row.id,
    [annotations.owners]: row.owners.map((id) => byId.get(id)?.email ?? id).join('; '),
    ...(row.code !== null && { [annotations.code]: row.code }),
    ...(row.type !== null && { [annotations.type]: row.type }),
  };
  const tags = tagsOf(row);
  return [
    ...(others.length === 0 ? [] : [groupOf(groupName, `Owners of ${row.name}`, row.hands, place)]),
    {
      apiVersion: 'backstage.io/v1alpha1',
      kind,
      metadata: {
        ...metadataOf(row, place, own),
        description: row.description,
        ...(tags.length > 0 && { tags }),
        links: [{ url: `${place.publicUrl}/catalogue/${pathOf[row.kind]}/${row.id}`, title: 'Slipway' }],
      },
      spec: { ...spec, owner },
    },
  ];
};

/** A page of entries in the order of their ids, and the people who own them. */
const page = async (db: Db, size: number, after = '') => {
  const { rows: found } = await sql<{ id: string }>`select id from catalog_entry where status = 'ACTIVE' and id > ${after}
    order by id limit ${size + 1}`.execute(db);
  const rows = await rowsById(
    db,
    found.slice(0, size).map(({ id }) => id),
  );
  const byId = await peopleById(
    db,
    rows.flatMap(({ owners, hands }) => [...owners, ...hands]),
  );
  return { rows, byId, next: found.length > size ? (rows.at(-1)?.id ?? null) : null };
};
const handsOf = (rows: readonly EntryRow[]): string[] => rows.flatMap(({ hands }) => hands);
const approversOf = (people: readonly CatalogPerson[], place: Place): BackstageEntity[] => [
  groupOf(
    APPROVERS,
    'Catalog approvers',
    people.map(({ id }) => id),
    place,
  ),
  ...people.map((person) => userOf(person, place)),
];

const yamlOf = (entities: readonly BackstageEntity[]): string =>
  entities.map((entity) => `---\n${new Document(entity).toString()}`).join('');
const PAGE = 200;
/** Everything as one file. Each user and group is in it once. */
async function* allYaml(db: Db, place: Place): AsyncGenerator<string> {
  const approving = await approvers(db);
  yield yamlOf(approversOf(approving, place));
  const seen = new Set(approving.map(({ id }) => id));
  for (let after: string | null = ''; after !== null;) {
    const { rows, byId, next } = await page(db, PAGE, after);
    const people = [...new Set(handsOf(rows))].filter((id) => !seen.has(id)).flatMap((id) => byId.get(id) ?? []);
    for (const { id } of people) seen.add(id);
    yield yamlOf([...people.map((person) => userOf(person, place)), ...rows.flatMap((row) => entitiesOf(row, byId, place))]);
    after = next;
  }
}

export const backstageRoutes = (db: Db, place: Place): Handler[] => [
  handle(catalogBackstageList, async ({ query: { size, after }, request, reply }) => {
    if (/^(application|text)\/(x-)?yaml/.test(request.headers.accept ?? ''))
      return reply
        .type('application/yaml; charset=utf-8')
        .header('content-disposition', 'attachment; filename="catalog-info.yaml"')
        .send(Readable.from(allYaml(db, place)));
    const approving = await approvers(db);
    const { rows, byId, next } = await page(db, size, after);
    const people = new Map([
      ...approving.map((person) => [person.id, person] as const),
      ...handsOf(rows).flatMap((id) => {
        const person = byId.get(id);
        return person ? [[id, person] as const] : [];
      }),
    ]);
    const groups = approversOf(approving, place).slice(0, 1);
    const entities = rows.flatMap((row) => entitiesOf(row, byId, place));
    return { items: [...groups, ...[...people.values()].map((person) => userOf(person, place)), ...entities], next };
  }),
];
