/**
 * Manages things of one kind on an engine. The platform wants them in a certain way, and a watch loop compares them with it. Things of others
 * are never touched: `create`, `change` and `remove` reject with `conflict`. All methods reject with `unavailable` if the engine does not
 * answer.
 */
export interface Managed<Target, Wanted, Seen> {
  /** Undefined if the engine has no such thing. */
  observe(target: Target): Promise<Seen | undefined>;
  /** Creates what is missing and makes it as wanted. Idempotent, so an interrupted creation is completed by a repeat. */
  create(target: Target, wanted: Wanted): Promise<void>;
  /** Makes an existing thing as wanted. Idempotent. Rejects with `notFound` if it does not exist. */
  change(target: Target, wanted: Wanted): Promise<void>;
  /** Removes the thing with all of its parts, also those of an interrupted creation. Idempotent. */
  remove(target: Target): Promise<void>;
}
