/** Drift: where an engine differs from what is wanted of an entity. */
import * as z from 'zod/mini';
import { Instant } from './fields.ts';

/** A value that differs. `ours` is the wanted value and `theirs` the engine's, each null if there is none. */
export const Difference = z.object({
  name: z.string(),
  ours: z.nullable(z.string()),
  theirs: z.nullable(z.string()),
  /** True if the wanted value can be restored. */
  canRepair: z.boolean(),
  /** True if the platform can adopt the engine's value. */
  canAdopt: z.boolean(),
});
/** The result of the last comparison. Entities with more to say of a difference give a schema of their own. */
export const driftOf = <D extends z.ZodMiniType>(difference: D) =>
  z.object({
    comparedAt: z.nullable(Instant),
    /** An engine did not answer, so this is the last known state. */
    isStale: z.boolean(),
    differences: z.array(difference),
    /** Compared values that are equal. */
    same: z.array(z.object({ name: z.string(), value: z.string() })),
  });
