/** Catalog-info files: entities become entries, and entries become entities that Backstage's own model accepts. */
import {
  componentEntityV1alpha1Validator,
  DefaultNamespaceEntityPolicy,
  domainEntityV1alpha1Validator,
  EntityPolicies,
  FieldFormatEntityPolicy,
  groupEntityV1alpha1Validator,
  NoForeignRootFieldsEntityPolicy,
  parseEntityRef,
  SchemaValidEntityPolicy,
  stringifyEntityRef,
  systemEntityV1alpha1Validator,
  userEntityV1alpha1Validator,
  type Entity,
} from '@backstage/catalog-model';
import { parseAllDocuments } from 'yaml';
import { beforeEach, expect, test } from 'vitest';
import { catalogBackstageList } from '@slipway/contract/catalog/backstage.ts';
import { catalogWorld, description } from '../catalog.fixture.ts';
import { importer, said } from '../imports/imports.fixture.ts';

const world = catalogWorld();
const { refused, rows, check, start } = importer(world);
const yaml = 'application/yaml';
beforeEach(() => world.sql('delete from catalog_import'));

const file = (email: string): string => `# A comment before the first document.
apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: berth-api
  title: Berth API
  description: ${description}
  tags: [java]
spec: { type: service, lifecycle: production, owner: berths, system: berthing }
---
apiVersion: backstage.io/v1alpha1
kind: System
metadata: { name: berthing, description: "${description}", annotations: { slipway.dev/type: OPERATIONS } }
spec: { owner: 'user:olga', domain: quays }
---
apiVersion: backstage.io/v1alpha1
kind: Domain
metadata: { name: quays, description: "${description}", annotations: { slipway.dev/type: BUSINESS } }
spec: { owner: 'group:default/berths' }
---
apiVersion: backstage.io/v1alpha1
kind: Group
metadata: { name: berths }
spec: { type: team, children: [], members: [olga] }
---
apiVersion: backstage.io/v1alpha1
kind: User
metadata: { name: olga }
spec: { profile: { email: ${email} }, memberOf: [] }
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: { name: lonely, description: "${description}" }
spec: { type: library, lifecycle: experimental, owner: nobody-knows }
---
apiVersion: backstage.io/v1alpha1
kind: API
metadata: { name: berth-v1 }
spec: { type: openapi, lifecycle: production, owner: berths, definition: '{}' }
`;

test('components, systems and domains become entries; owners come from users and groups of the file', async () => {
  const [olga] = await world.sql<{ email: string }>(`select email from identity where id = 'olga'`);
  const made = await check('administrator', file(olga?.email ?? ''), yaml);
  expect(said(await rows('administrator', made))).toEqual([
    '1 CREATE application Berth API',
    '2 CREATE platform berthing',
    '3 CREATE portfolio quays',
    '4 LEFT_OUT kind ImportKindUnknown',
    '5 LEFT_OUT kind ImportKindUnknown',
    '6 REFUSED platform Required',
    '7 LEFT_OUT kind ImportKindUnknown',
  ]);
  expect(await start('administrator', made)).toMatchObject({ state: 'DONE', counts: { create: 3, refused: 1 } });
  expect(
    await world.sql(
      `select external_id, owners, platform.external_id as on from catalog_entry left join lateral
      (select external_id from catalog_entry other where other.id = catalog_entry.platform_id) as platform (external_id) on true
      where catalog_entry.external_id is not null order by 1`.replaceAll(
        'select external_id, owners',
        'select catalog_entry.external_id, owners',
      ),
    ),
  ).toEqual([
    { external_id: 'backstage:component:default/berth-api', owners: ['olga'], on: 'backstage:system:default/berthing' },
    { external_id: 'backstage:domain:default/quays', owners: ['olga'], on: null },
    { external_id: 'backstage:system:default/berthing', owners: ['olga'], on: null },
  ]);
  expect((await check('administrator', file(olga?.email ?? ''), yaml)).counts).toMatchObject({ create: 0, change: 0, same: 3 });
});

test('files with aliases, faults and other content are refused with their document', async () => {
  const bomb = `a: &a [x, x]\nb: [*a, *a]\n`;
  expect(await refused('owner', bomb, yaml)).toMatch(/400 ImportUnreadable .*document 1: .*alias/i);
  expect(await refused('owner', `${file('x')}---\nkind: [`, yaml)).toContain('document 8');
  expect(await refused('owner', 'apiVersion: v1\nkind: Pod\n', yaml)).toContain('document 1 is no entity');
  expect(await refused('owner', '---\n---\n', yaml)).toContain('it contains no entities');
  expect(await refused('owner', `kind: x\ntext: ${'y'.repeat(300 * 1024)}`, yaml)).toContain('256 KB per document');
  expect(await refused('owner', '['.repeat(100_000), yaml)).toContain('ImportUnreadable');
});

const kindValidators = [
  componentEntityV1alpha1Validator,
  systemEntityV1alpha1Validator,
  domainEntityV1alpha1Validator,
  groupEntityV1alpha1Validator,
  userEntityV1alpha1Validator,
];
/** As Backstage's catalog processing does: its policies, then a validator of the entity's kind. */
const accept = async (entity: unknown): Promise<Entity> => {
  const policies = EntityPolicies.allOf([
    new SchemaValidEntityPolicy(),
    new DefaultNamespaceEntityPolicy(),
    new NoForeignRootFieldsEntityPolicy(),
    new FieldFormatEntityPolicy(),
  ]);
  const enforced = await policies.enforce(entity as Entity);
  if (!enforced) throw new Error('No policy accepts the entity');
  const verdicts = await Promise.all(kindValidators.map((validator) => validator.check(enforced)));
  expect(verdicts.filter(Boolean)).toHaveLength(1);
  return enforced;
};
const references = ({ spec = {}, kind }: Entity): string[] => {
  const as = (of: string, value: unknown) =>
    typeof value === 'string' ? [stringifyEntityRef(parseEntityRef(value, { defaultKind: of, defaultNamespace: 'default' }))] : [];
  const members = kind === 'Group' && Array.isArray(spec['members']) ? spec['members'].flatMap((member) => as('user', member)) : [];
  return [
    ...as('group', spec['owner']),
    ...as('system', spec['system']),
    ...as('domain', spec['domain']),
    ...as('component', spec['subcomponentOf']),
    ...members,
  ];
};

test('Backstage accepts every exported entity, each reference leads to one, and an import of the file changes nothing', async () => {
  await world.onboard('Two owners', { owners: ['olga', 'mats'], explorationApp: true });
  await world.sql(
    `insert into catalog_entry (id, kind, name, description, status, owners, code, type, platform_id, source, created_by, modified_by)
    select 'PRD-0903', 'product', 'Suite', $1, 'ACTIVE', '{olga}', 'SUITE', 'INTERNAL', id, 'API', 'olga', 'olga' from catalog_entry
    where kind = 'platform' order by id limit 1`,
    [description],
  );
  await world.sql(`update catalog_entry set product_id = 'PRD-0903' where name = 'Two owners'`);
  const { body } = await world.call('administrator', catalogBackstageList, { headers: { accept: yaml } });
  const documents = parseAllDocuments(String(body));
  const entities: Entity[] = [];
  for (const document of documents) entities.push(await accept((document as { toJS(): unknown }).toJS()));
  const known = new Set(entities.map((entity) => stringifyEntityRef(entity)));
  expect(known.size).toBe(entities.length);
  expect(entities.flatMap(references).filter((reference) => !known.has(reference))).toEqual([]);
  expect(entities.find(({ metadata }) => metadata.title === 'Two owners')).toMatchObject({
    kind: 'Component',
    spec: { type: 'application', lifecycle: 'experimental', subcomponentOf: 'component:default/prd-0903' },
  });
  const made = await check('administrator', String(body), yaml);
  expect(said(await rows('administrator', made)).filter((line) => /REFUSED|CREATE/.test(line))).toEqual([]);
  await start('administrator', made);
  expect((await check('administrator', String(body), yaml)).counts).toMatchObject({ create: 0, change: 0, refused: 0 });
});

test('pages lead through all entries', async () => {
  const titles: string[] = [];
  for (let after: string | null = null; ;) {
    const { items, next }: { items: Entity[]; next: string | null } = await world.good('member', catalogBackstageList, {
      query: { size: 2, ...(after === null ? {} : { after }) },
    });
    for (const entity of items) titles.push(...(['Group', 'User'].includes(entity.kind) ? [] : [(await accept(entity)).metadata.name]));
    if (next === null) break;
    after = next;
  }
  const active = await world.sql<{ id: string }>(`select id from catalog_entry where status = 'ACTIVE' order by id`);
  expect(titles).toEqual(active.map(({ id }) => id.toLowerCase()));
});
