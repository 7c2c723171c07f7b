/** Queues webhook deliveries for a project's event, in the event's transaction. */
import { CompiledQuery } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '#db/database.ts';
import type { Registry, RegistryEvent } from '#ports/registry.ts';

const ENQUEUE = 'select webhook_enqueue($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb)';

const valuesOf = (event: RegistryEvent, host: string): readonly unknown[] => {
  const { type, project, operator, repository = null, tag = null, digest = null, aboutImage = {}, aboutEvent = {} } = event;
  return [project, type, operator, repository, tag, digest, host, JSON.stringify(aboutImage), JSON.stringify(aboutEvent)];
};

export const enqueueRegistryEvent = async (db: Db, { host }: Pick<Registry, 'host'>, event: RegistryEvent): Promise<void> => {
  await db.executeQuery(CompiledQuery.raw(ENQUEUE, [...valuesOf(event, host)]));
};

/** For the embedded registry, which has its own connections and transactions. */
export const enqueueEmbeddedEvent = async (event: RegistryEvent, host: string, db: Pick<Pool, 'query'>): Promise<void> => {
  await db.query(ENQUEUE, [...valuesOf(event, host)]);
};
