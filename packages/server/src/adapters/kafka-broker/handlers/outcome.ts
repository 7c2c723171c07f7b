/** How a change of one topic ended: Kafka's code, and a sentence for the one who asked. */
import { errors } from '../protocol/errors.ts';

export interface Outcome {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}
export const done: Outcome = { errorCode: errors.NONE, errorMessage: null };
export const refuse = (errorCode: number, errorMessage: string | null = null): Outcome => ({ errorCode, errorMessage });

/** What fails while writing ends the one change, not the connection. */
export const outcomeOf = async (change: () => Promise<Outcome>, onFailure: (error: unknown) => void): Promise<Outcome> => {
  try {
    return await change();
  } catch (error) {
    onFailure(error);
    return refuse(errors.KAFKA_STORAGE_ERROR, 'The broker could not write to its disk.');
  }
};

/** In a list that names the same thing twice, both are refused, as Kafka does. */
export const repeated = <Name extends string | number>(names: readonly Name[]): ReadonlySet<Name> => {
  const seen = new Set<Name>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
};
