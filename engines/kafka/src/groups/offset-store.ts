/** The offsets that groups have committed, in a persistent journal. A commit is acknowledged once it is in the file. */
import { Journal } from './journal.ts';
import { Entry, OffsetTable, type Commit, type GroupOffsets, type KeptGroup, type Place } from './offset-table.ts';
import type { Timers } from './timers.ts';

export interface OffsetStoreParts {
  readonly file: string;
  readonly timers: Timers;
  readonly onDamage?: (lostBytes: number) => void;
  readonly onFailure?: (error: unknown) => void;
  readonly compactAtBytes?: number;
}

export class OffsetStore {
  readonly #table: OffsetTable;
  readonly #journal: Journal<Entry>;

  private constructor(table: OffsetTable, journal: Journal<Entry>) {
    this.#table = table;
    this.#journal = journal;
  }

  static async open(parts: OffsetStoreParts): Promise<OffsetStore> {
    const table = new OffsetTable();
    const journal = await Journal.open<Entry>({
      ...parts,
      parse: (found) => Entry.parse(found),
      apply: (entry) => table.apply(entry),
      snapshot: () => table.snapshot(),
    });
    return new OffsetStore(table, journal);
  }

  groupIds(): Set<string> {
    return this.#table.groupIds();
  }
  offsets(group: string): GroupOffsets {
    return this.#table.offsets(group);
  }
  group(group: string): KeptGroup | undefined {
    return this.#table.group(group);
  }
  get bytes(): number {
    return this.#journal.bytes;
  }

  /** Commits all offsets or none. */
  commit(group: string, commits: readonly (Place & Commit)[]): Promise<void> {
    return this.#journal.append({ kind: 'commit', group, commits: [...commits] });
  }
  delete(group: string, places: readonly Place[]): Promise<void> {
    return this.#journal.append({ kind: 'delete', group, places: [...places] });
  }
  keepGroup(group: string, kept: KeptGroup): Promise<void> {
    return this.#journal.append({ kind: 'group', group, ...kept });
  }
  forgetGroup(group: string): Promise<void> {
    return this.#journal.append({ kind: 'forget', group });
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
