/** Where a service's images lie: its settings say so, and several services, of both environments, may share one repository. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { ServiceKey } from './services.sql.ts';

/** What a new service's image is called, unless its settings say otherwise. */
export const imageRepository = ({ app, service }: Pick<ServiceKey, 'app' | 'service'>): string => `${app}/${service}`;

/** `localhost:4000/berth/berth-api` → `berth/berth-api`, as the registry's port wants it. */
export const imageRepositoryOf = ({ containerImageName }: Pick<ServiceSpec, 'containerImageName'>): string =>
  containerImageName.slice(containerImageName.indexOf('/') + 1);

/** Names of the app's services, others than `except`, that run images of the repository: it must not be deleted while there are any. */
export const servicesOnImage = async (db: Db, app: string, repository: string, except: string): Promise<string[]> => {
  const rows = await db.selectFrom('service').select(['id', 'name', 'spec']).where('app_id', '=', app).where('id', '!=', except).execute();
  return rows.filter((row) => imageRepositoryOf(row.spec) === repository).map(({ name }) => name);
};
