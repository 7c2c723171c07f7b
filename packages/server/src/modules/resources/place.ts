/** Finds rows below an environment. All such conditions are built here, so that none omits app or environment. */
import { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Names } from './entity.ts';

export interface Place {
  readonly app: string;
  readonly environment: Environment;
}

/** Reads a place from path parameters. Throws if the environment is missing. */
export const placeOf = ({ app = '', env }: Names): Place => ({ app, environment: Environment.parse(env) });

/** Matches every row of a place: `where(({ and }) => and(inPlace(place)))`. */
export const inPlace = ({ app, environment }: Place) => ({ app_id: app, environment });

/** Matches the one row of this name in a place. */
export const rowAt = (place: Place, name: string) => ({ ...inPlace(place), name });
