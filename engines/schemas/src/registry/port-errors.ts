/** Translates registry errors into failures of the port. */
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import { registryAway } from '@slipway/foundation/ports/schema-registry.ts';
import { RegistryError } from './registry-error.ts';
import { NewerVersion } from './registry-store.ts';

const rejected: Readonly<Record<number, string>> = {
  409: 'SchemaIncompatible',
  42201: 'SchemaInvalid',
  42206: 'SchemaIsReferencedBySchemas',
};

const failureOf = (error: RegistryError): PortFailure => {
  // The remaining cases: the subject is read-only, or an import is in progress.
  const code = rejected[error.code] ?? (error.status === 422 ? 'SchemaRegistryRefused' : undefined);
  if (code !== undefined) return new PortFailure('rejected', error.message, { code, context: { reason: error.message }, cause: error });
  if (error.status === 404) return new PortFailure('notFound', error.message, { cause: error });
  return registryAway(error.message, error);
};

/** Reports the registry as unavailable, so that callers can retry, while the database is down. */
export const portErrors = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PortFailure) throw error;
    if (error instanceof NewerVersion) throw new PortFailure('conflict', error.message, { cause: error });
    if (error instanceof RegistryError) throw failureOf(error);
    throw registryAway('the schema registry cannot answer', error);
  }
};
