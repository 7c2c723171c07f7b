/** App, environment and name of a database. */
import type { EntityPlace } from '#entities/resource/entity-route.tsx';

export type DatabasePlace = EntityPlace<'database'>;
