/** A route of the registry's API: a method, a path with placeholders, and a function. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { RegistryStore } from '../registry-store.ts';
import type { Exchange } from './exchange.ts';

export interface Call {
  readonly exchange: Exchange;
  readonly environment: Environment;
  readonly store: RegistryStore;
  /** Decoded values of the path's placeholders. */
  readonly names: readonly string[];
}
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path such as `/subjects/:/versions`. Each colon is a placeholder. */
  readonly path: string;
  /** True if the route changes something. */
  readonly isWrite?: boolean;
  /** Returns the response body, or undefined if it has already sent the response. */
  run(call: Call): Promise<unknown>;
}

export const matches = (path: string, segments: readonly string[]): readonly string[] | undefined => {
  const parts = path.split('/').slice(1);
  if (parts.length !== segments.length) return undefined;
  if (!parts.every((part, index) => part === ':' || part === segments[index])) return undefined;
  return segments.filter((_, index) => parts[index] === ':');
};
