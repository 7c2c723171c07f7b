/** Queues webhook deliveries for a project's event, in the event's transaction. The embedded registry does the same for image events. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { Registry, RegistryEvent } from '#ports/registry.ts';

export const enqueueRegistryEvent = async (db: Db, { host }: Pick<Registry, 'host'>, event: RegistryEvent): Promise<void> => {
  const { type, project, operator, repository = null, tag = null, digest = null, aboutImage = {}, aboutEvent = {} } = event;
  await sql`select webhook_enqueue(${project}, ${type}, ${operator}, ${repository}, ${tag}, ${digest}, ${host},
    ${JSON.stringify(aboutImage)}::jsonb, ${JSON.stringify(aboutEvent)}::jsonb)`.execute(db);
};
