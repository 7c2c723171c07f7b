/** Resolves references to other schemas: by name or id among the app's own, at the requested version. */
import type { SchemaUse, StoredUse } from '@slipway/contract/streaming/schema.ts';
import type { Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { Problem } from '#kernel/problem.ts';
import { inPlace } from '#modules/resources/index.ts';
import { isId, type Place } from '../names.ts';

const found = async (db: Db, place: Place, { name, resourceId, revisionId }: SchemaUse): Promise<StoredUse | undefined> => {
  const schema = await db
    .selectFrom('event_schema')
    .select(['id', 'name', 'subject', 'revision_id'])
    .where(({ and }) => and(inPlace(place)))
    .where(isId(resourceId) ? 'id' : 'name', '=', resourceId)
    .executeTakeFirst();
  const version = revisionId ?? schema?.revision_id;
  if (!schema || version === null || version === undefined) return undefined;
  const kept = await db
    .selectFrom('event_schema_version')
    .select('version')
    .where('schema_id', '=', schema.id)
    .where('version', '=', version)
    .executeTakeFirst();
  return kept && { name, resourceId: schema.id, schema: schema.name, subject: schema.subject, revisionId: version };
};

export const resolveUses = (db: Db, place: Place, uses: readonly SchemaUse[]): Promise<StoredUse[]> =>
  mapLimited(uses, async (use, index) => {
    const stored = await found(db, place, use);
    if (!stored) throw new Problem('SchemaReferenceDoesNotExist', { field: `references.${index}`, context: { schema: use.resourceId } });
    return stored;
  });
