/** Image repository of a service. The settings name it, and several services of both environments may share one repository. */
import { sql } from 'kysely';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { ServiceKey } from './services.sql.ts';

/** Returns the default repository of a new service's image. */
export const imageRepository = ({ app, service }: Pick<ServiceKey, 'app' | 'service'>): string => `${app}/${service}`;

/** Returns the path that the registry's port expects: `localhost:4000/berth/berth-api` → `berth/berth-api`. */
export const imageRepositoryOf = ({ containerImageName }: Pick<ServiceSpec, 'containerImageName'>): string =>
  containerImageName.slice(containerImageName.indexOf('/') + 1);

/**
 * Returns the app's services, except `except`, that run images of the repository, so it must not be deleted. A service whose image cannot be
 * read counts as one of them.
 */
export const servicesOnImage = async (db: Db, app: string, repository: string, except: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('service')
    .select(['name', sql<string | null>`spec ->> 'containerImageName'`.as('image')])
    .where('app_id', '=', app)
    .where('id', '!=', except)
    .execute();
  const isUser = (image: string | null): boolean => image === null || imageRepositoryOf({ containerImageName: image }) === repository;
  return rows.filter(({ image }) => isUser(image)).map(({ name }) => name);
};
