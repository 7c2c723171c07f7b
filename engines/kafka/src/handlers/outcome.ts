/** The result of changing one topic: Kafka's error code, and a message for the client. */
import { errors } from '../protocol/errors.ts';

export interface Outcome {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}
export const done: Outcome = { errorCode: errors.NONE, errorMessage: null };
export const refuse = (errorCode: number, errorMessage: string | null = null): Outcome => ({ errorCode, errorMessage });

/** Turns an I/O error into a failure of this change, so that the connection stays open. */
export const outcomeOf = async (change: () => Promise<Outcome>, onFailure: (error: unknown) => void): Promise<Outcome> => {
  try {
    return await change();
  } catch (error) {
    onFailure(error);
    return refuse(errors.KAFKA_STORAGE_ERROR, 'The broker could not write to its disk.');
  }
};

/** Returns the names that a list contains more than once. As in Kafka, all their entries are refused. */
export const repeated = <Name extends string | number>(names: readonly Name[]): ReadonlySet<Name> => {
  const seen = new Set<Name>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
};
