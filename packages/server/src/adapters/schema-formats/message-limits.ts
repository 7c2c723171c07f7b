/** What a message asks too much of is a MessageError like any other: callers show it. */
import type { JsonValue } from '#ports/schema.ts';
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

/** A sample of what is too large to be written by hand is none. */
export const sampleWithinLimits = (work: () => JsonValue): JsonValue => {
  try {
    return work();
  } catch (error) {
    if (error instanceof LimitError || error instanceof RangeError) return null;
    throw error;
  }
};
