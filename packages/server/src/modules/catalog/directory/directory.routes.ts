/** People, authority, approvers, labels and options. */
import { createHash } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import {
  catalogApproverList,
  catalogApproversSet,
  catalogAuthorityView,
  catalogLabelCreate,
  catalogLabelList,
  catalogLabelUpdate,
  catalogOptionUses,
  catalogOptionsSet,
  catalogOptionsView,
  catalogUserSearch,
  optionLists,
  type OptionList,
} from '@slipway/contract/catalog/directory.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { errorCode } from '#kernel/caught.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { isApprover } from '../entries/entry-row.ts';
import { optionsNow } from './options.ts';
import { approvers, resolvePeople, searchPeople, setApprovers } from './people.ts';

const labelOf = ({ id, name, description, properties, is_archived: archived }: Selectable<DB['catalog_label']>) => ({
  id,
  name,
  description,
  properties,
  archived,
});
const takenLabel = (error: unknown): never => {
  if (errorCode(error) === '23505') throw new Problem('LabelAlreadyExists', { field: 'name', cause: error });
  throw error;
};
const requireApprover = async (db: Db, caller: Caller): Promise<void> => {
  if (!(await isApprover(db, caller))) throw new Problem('NotCatalogueApprover');
};
const record = (trx: Db, caller: Caller, type: string, message: string, changes: { before?: unknown; after?: unknown }): Promise<void> =>
  recordWrite(trx, caller, { type, reason: 'Updated', message: `${caller.displayName} ${message}`, ...changes });

const optionColumns: Readonly<Record<OptionList, string>> = {
  criticalityCategories: 'criticality',
  informationClassifications: 'classification',
  mipLayers: 'mip_layer',
  strategicIntents: 'intent',
};

/** Counts entries of every status: an option is in use as long as any of them names it. */
const optionUses = async (db: Db): Promise<Record<OptionList, { id: string; name: string; uses: number }[]>> => {
  const options = await optionsNow(db);
  const counted = { ...options } as Record<OptionList, { id: string; name: string; uses: number }[]>;
  for (const list of optionLists) {
    const column = sql.ref(optionColumns[list]);
    const { rows } = await sql<{ id: string; n: number }>`select ${column} as id, count(*)::integer as n from catalog_entry
      where ${column} is not null group by 1`.execute(db);
    const uses = new Map(rows.map(({ id, n }) => [id, n]));
    counted[list] = options[list].map((option) => ({ ...option, uses: uses.get(option.id) ?? 0 }));
  }
  return counted;
};

/** Replaces a list. Options that entries use cannot be left out. */
const setOptions = async (trx: Db, list: OptionList, options: readonly { id: string; name: string }[]): Promise<void> => {
  const ids = options.map(({ id }) => id);
  const column = sql.ref(`entry.${optionColumns[list]}`);
  const { rows } = await sql`select 1 from catalog_option option where list = ${list} and not id = any(${ids}::text[])
    and exists (select from catalog_entry entry where ${column} = option.id) limit 1`.execute(trx);
  if (rows.length > 0) throw new Problem('OptionInUse', { field: 'options' });
  await trx.deleteFrom('catalog_option').where('list', '=', list).execute();
  await trx
    .insertInto('catalog_option')
    .values(options.map((option, position) => ({ ...option, list, position })))
    .execute();
};

export const directoryRoutes = (db: Db): Handler[] => [
  handle(catalogUserSearch, async ({ query }) => ({ users: await searchPeople(db, query.search) })),
  handle(catalogAuthorityView, async ({ caller }) => ({
    username: caller.email ?? caller.id,
    authorities: [
      'CATALOGUE_USER' as const,
      ...((await isApprover(db, caller)) ? (['CATALOGUE_APPROVER'] as const) : []),
      ...(caller.isAdministrator ? (['PLATFORM_ADMINISTRATOR'] as const) : []),
    ],
  })),
  handle(catalogApproverList, () => approvers(db)),
  handle(
    catalogApproversSet,
    async ({ caller, body }) => {
      await transaction(db, async (trx) => {
        const ids = await resolvePeople(trx, body.approvers, { field: 'approvers' });
        const before = (await approvers(trx)).map(({ id }) => id);
        await setApprovers(trx, ids, caller.id);
        await record(trx, caller, catalogApproversSet.id, 'changed the approvers of the catalog', { before, after: ids });
      });
      return approvers(db);
    },
    () => approvers(db),
  ),
  handle(catalogLabelList, async () =>
    (
      await db
        .selectFrom('catalog_label')
        .selectAll()
        .orderBy(sql`lower(name)`)
        .execute()
    ).map(labelOf),
  ),
  handle(
    catalogLabelCreate,
    ({ caller, body }) =>
      transaction(db, async (trx) => {
        await requireApprover(trx, caller);
        const { rows } = await sql<{ id: string }>`update catalog_number set n = n + 1 where kind = 'label'
          returning 'LBL-' || lpad(n::text, greatest(3, length(n::text)), '0') as id`.execute(trx);
        const values = { ...body, id: rows[0]?.id ?? '', properties: JSON.stringify(body.properties), created_by: caller.id };
        const row = await trx.insertInto('catalog_label').values(values).returningAll().executeTakeFirstOrThrow().catch(takenLabel);
        await record(trx, caller, catalogLabelCreate.id, `created the label ${body.name}`, { after: body });
        return labelOf(row);
      }),
    async ({ body }) =>
      labelOf(
        await db
          .selectFrom('catalog_label')
          .selectAll()
          .where(sql`lower(name)`, '=', body.name.toLowerCase())
          .executeTakeFirstOrThrow(),
      ),
  ),
  handle(
    catalogLabelUpdate,
    ({ caller, params: { labelId }, body: { archived, properties, ...rest } }) =>
      transaction(db, async (trx) => {
        await requireApprover(trx, caller);
        const before = await trx.selectFrom('catalog_label').selectAll().where('id', '=', labelId).forUpdate().executeTakeFirst();
        if (!before) throw new Problem('LabelDoesNotExist');
        const row = await trx
          .updateTable('catalog_label')
          .set({
            name: rest.name ?? before.name,
            description: rest.description ?? before.description,
            properties: JSON.stringify(properties ?? before.properties),
            is_archived: archived ?? before.is_archived,
          })
          .where('id', '=', labelId)
          .returningAll()
          .executeTakeFirstOrThrow()
          .catch(takenLabel);
        // The search finds entries by the names of their labels.
        if (row.name !== before.name) await sql`update catalog_entry set name = name where labels @> ${[labelId]}::text[]`.execute(trx);
        await record(trx, caller, catalogLabelUpdate.id, `changed the label ${row.name}`, { before: labelOf(before), after: labelOf(row) });
        return labelOf(row);
      }),
    async ({ params }) =>
      labelOf(await db.selectFrom('catalog_label').selectAll().where('id', '=', params.labelId).executeTakeFirstOrThrow()),
  ),
  handle(catalogOptionsView, async ({ request, reply }) => {
    const options = await optionsNow(db);
    const tag = `"${createHash('sha256').update(JSON.stringify(options)).digest('base64url').slice(0, 22)}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (request.headers['if-none-match'] === tag) reply.status(304);
    return options;
  }),
  handle(catalogOptionUses, () => optionUses(db)),
  handle(
    catalogOptionsSet,
    async ({ caller, params, body }) => {
      const list = optionLists.find((name) => name === params.list);
      if (!list) throw new Problem('MISSING_RESOURCE');
      await transaction(db, async (trx) => {
        const before = (await optionsNow(trx))[list];
        await setOptions(trx, list, body.options);
        await record(trx, caller, catalogOptionsSet.id, `changed the options ${list}`, { before, after: body.options });
      });
      return optionsNow(db);
    },
    () => optionsNow(db),
  ),
];
