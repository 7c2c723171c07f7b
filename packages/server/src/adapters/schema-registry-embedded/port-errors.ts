/** Translates what goes wrong below the port into the port's own failures. */
import { PortFailure } from '#ports/failure.ts';
import { registryAway } from '#ports/schema-registry.ts';
import { RegistryError } from './registry-error.ts';
import { NewerVersion } from './registry-store.ts';

const rejected: Readonly<Record<number, string>> = {
  409: 'SchemaIncompatible',
  42201: 'SchemaInvalid',
  42206: 'SchemaIsReferencedBySchemas',
};

const failureOf = (error: RegistryError): PortFailure => {
  // Else read-only, or an import is under way.
  const code = rejected[error.code] ?? (error.status === 422 ? 'SchemaRegistryRefused' : undefined);
  if (code !== undefined) return new PortFailure('rejected', error.message, { code, context: { reason: error.message }, cause: error });
  if (error.status === 404) return new PortFailure('notFound', error.message, { cause: error });
  return registryAway(error.message, error);
};

/** Without a database the registry is unavailable, and whoever asked may try again. */
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
