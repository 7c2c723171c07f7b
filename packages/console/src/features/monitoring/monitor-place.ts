/** App, environment and name of a browser monitor. */
import type { EntityPlace } from '#entities/resource/entity-route.tsx';

export type MonitorPlace = EntityPlace<'monitor'>;
