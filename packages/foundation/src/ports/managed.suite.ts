/** Tests for every adapter of the managed port. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPortFailure } from './failure.ts';
import type { Managed } from './managed.ts';

export interface ManagedSubject<Target, Wanted, Seen> {
  readonly managed: Managed<Target, Wanted, Seen>;
  /** Returns a target that was never used before. */
  fresh(): Target;
  /** Two different wishes. */
  readonly wishes: readonly [Wanted, Wanted];
  /** Returns whether the engine has what is wanted. */
  fulfills(seen: Seen, wanted: Wanted): boolean;
  /** Creates a thing of someone else under the target's name. */
  plant(target: Target): Promise<void>;
  /** Returns whether the planted thing is unchanged. */
  isPlanted(target: Target): Promise<boolean>;
  close(): Promise<void>;
}

export function managedSuite<Target, Wanted, Seen>(name: string, make: () => Promise<ManagedSubject<Target, Wanted, Seen>>): void {
  describe(name, () => {
    let subject: ManagedSubject<Target, Wanted, Seen>;
    let managed: Managed<Target, Wanted, Seen>;
    let [first, second]: readonly Wanted[] = [];
    beforeAll(async () => {
      subject = await make();
      ({
        managed,
        wishes: [first, second],
      } = subject);
    });
    afterAll(() => subject?.close());

    const is = async (target: Target, wanted: Wanted): Promise<boolean> => {
      const seen = await managed.observe(target);
      return seen !== undefined && subject.fulfills(seen, wanted);
    };
    const created = async (wanted: Wanted): Promise<Target> => {
      const target = subject.fresh();
      await managed.create(target, wanted);
      return target;
    };
    const kindOf = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'none',
        (error: unknown) => (isPortFailure(error) ? error.kind : String(error)),
      );

    test('observes nothing before the creation, and what is wanted after it', async () => {
      const target = subject.fresh();
      expect(await managed.observe(target)).toBeUndefined();
      await managed.create(target, first!);
      expect([await is(target, first!), await is(target, second!)]).toEqual([true, false]);
    });

    test('a repeated creation makes the thing as wanted, and two at the same time make one', async () => {
      const target = await created(first!);
      await managed.create(target, second!);
      expect(await is(target, second!)).toBe(true);
      const other = subject.fresh();
      const both = await Promise.allSettled([managed.create(other, first!), managed.create(other, first!)]);
      expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
      expect(await is(other, first!)).toBe(true);
    });

    test('changes one thing and not its neighbor, also twice', async () => {
      const [target, neighbor] = [await created(first!), await created(first!)];
      await managed.change(target, second!);
      await managed.change(target, second!);
      expect([await is(target, second!), await is(neighbor, first!)]).toEqual([true, true]);
    });

    test('a change of a missing thing is rejected and creates nothing', async () => {
      const target = subject.fresh();
      expect(await kindOf(managed.change(target, first!))).toBe('notFound');
      expect(await managed.observe(target)).toBeUndefined();
    });

    test('removes one thing and not its neighbor, also twice, and its name is free again', async () => {
      const [target, neighbor] = [await created(first!), await created(first!)];
      await managed.remove(target);
      await managed.remove(target);
      expect(await managed.observe(target)).toBeUndefined();
      expect(await is(neighbor, first!)).toBe(true);
      await managed.create(target, second!);
      expect(await is(target, second!)).toBe(true);
    });

    test('a thing of someone else is not touched', async () => {
      const target = subject.fresh();
      await subject.plant(target);
      expect(await kindOf(managed.create(target, first!))).toBe('conflict');
      expect(await kindOf(managed.change(target, first!))).toBe('conflict');
      expect(await kindOf(managed.remove(target))).toBe('conflict');
      expect(await subject.isPlanted(target)).toBe(true);
    });
  });
}
