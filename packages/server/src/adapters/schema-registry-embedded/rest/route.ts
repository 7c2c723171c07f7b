/** What a route of the registry's API is: a method, a path with places for names, and what it does. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { RegistryStore } from '../registry-store.ts';
import type { Exchange } from './exchange.ts';

export interface Call {
  readonly exchange: Exchange;
  readonly environment: Environment;
  readonly store: RegistryStore;
  /** What stands in the path's places, decoded. */
  readonly names: readonly string[];
}
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/subjects/:/versions`: each colon is a place. */
  readonly path: string;
  /** Changes something. */
  readonly isWrite?: boolean;
  /** Answers the body; undefined where it has answered itself. */
  run(call: Call): Promise<unknown>;
}

export const matches = (path: string, segments: readonly string[]): readonly string[] | undefined => {
  const parts = path.split('/').slice(1);
  if (parts.length !== segments.length) return undefined;
  if (!parts.every((part, index) => part === ':' || part === segments[index])) return undefined;
  return segments.filter((_, index) => parts[index] === ':');
};
