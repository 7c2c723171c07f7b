// What happens in a project, for its webhooks: of images, in the transaction in which it happens.
import type { RegistryEvent } from '#ports/registry.ts';
import type { RegistryContext } from './context.ts';
import { projectOf } from './grammar.ts';
import type { Db } from './project.sql.ts';

type Place = Pick<RegistryContext, 'pool' | 'host'>;

export async function announce(
  { pool, host }: Place,
  { type, operator, repository, tag, digest }: Omit<RegistryEvent, 'project'> & { readonly repository: string },
  db: Db = pool,
): Promise<void> {
  const image = [projectOf(repository), type, operator, repository, tag, digest, host];
  await db.query(`select webhook_enqueue($1, $2, $3, $4, $5, $6, $7, '{}', '{}')`, image);
}

export async function announceQuota(
  { pool, host }: Place,
  { type, project, aboutEvent = {} }: Pick<RegistryEvent, 'type' | 'project' | 'aboutEvent'>,
): Promise<void> {
  const values = [project, type, host, JSON.stringify(aboutEvent)];
  await pool.query(`select webhook_enqueue($1, $2, 'platform', null, null, null, $3, '{}', $4)`, values);
}
