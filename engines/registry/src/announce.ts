// Announces what happens in a project: events of images in the transaction in which they happen.
import type { RegistryEvent } from '@slipway/foundation/ports/registry.ts';
import type { RegistryContext } from './context.ts';
import { projectOf } from './grammar.ts';
import type { Db } from './project.sql.ts';

export const announce = (
  { pool, host, onEvent }: Pick<RegistryContext, 'pool' | 'host' | 'onEvent'>,
  event: Omit<RegistryEvent, 'project'> & { readonly repository: string },
  db: Db = pool,
): Promise<void> => onEvent({ ...event, project: projectOf(event.repository) }, host, db);
