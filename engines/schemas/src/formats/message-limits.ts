/** Turns exceeded limits into MessageErrors, which callers display. */
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { MessageError } from './schema-format.ts';
import { LimitError } from './schema-limits.ts';

export const withinLimits = <Result>(work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (error instanceof LimitError) throw new MessageError('', `The message has ${error.message}.`);
    if (error instanceof RangeError) throw new MessageError('', 'The message is nested too deep.');
    throw error;
  }
};

/** Runs `work`. Returns null if the schema is too large for a sample. */
export const sampleWithinLimits = (work: () => JsonValue): JsonValue => {
  try {
    return work();
  } catch (error) {
    if (error instanceof LimitError || error instanceof RangeError) return null;
    throw error;
  }
};
