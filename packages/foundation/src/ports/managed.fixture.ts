/** An engine in memory that holds sizes by name, for tests of what watches engines. */
import { PortFailure } from './failure.ts';
import type { Managed } from './managed.ts';

export class MemoryManaged implements Managed<string, number, number> {
  readonly sizes = new Map<string, number>();
  /** Names of things that someone else created. */
  readonly foreign = new Set<string>();
  /** Names in the order of the calls of `observe`. */
  readonly observed: string[] = [];
  isAway = false;

  #ask(name: string): void {
    if (this.isAway) throw new PortFailure('unavailable', 'The engine is away');
    if (this.foreign.has(name)) throw new PortFailure('conflict', `${name} belongs to someone else`);
  }
  async observe(name: string): Promise<number | undefined> {
    this.observed.push(name);
    this.#ask(name);
    return this.sizes.get(name);
  }
  async create(name: string, size: number): Promise<void> {
    this.#ask(name);
    this.sizes.set(name, size);
  }
  async change(name: string, size: number): Promise<void> {
    this.#ask(name);
    if (!this.sizes.has(name)) throw new PortFailure('notFound', `There is no ${name}`);
    this.sizes.set(name, size);
  }
  async remove(name: string): Promise<void> {
    this.#ask(name);
    this.sizes.delete(name);
  }
}
