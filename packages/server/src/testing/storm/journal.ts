/**
 * Records in its own file the writes that the platform was asked for, and its answers.
 * Adds a line before a write is sent, and a line when its fate is known.
 * The checks compare the platform with this journal, not with the platform's own rows.
 */
import { appendFileSync } from 'node:fs';

/**
 * `unsent`: nobody listened. `unanswered`: it may have been done, or not: the connection broke, or the answer was a 503, which a database
 * that dies in a commit causes, too. `refused`: by a rule, and nothing was changed.
 */
export type Fate = 'pending' | 'acknowledged' | 'unanswered' | 'refused' | 'unsent';
export interface About {
  readonly app?: string;
  readonly team?: string;
  /** A robot's, tag's, token's, group's name, a commit. */
  readonly name?: string;
  /** The pipeline that this starts: its type and subject. */
  readonly type?: string;
  readonly subject?: string;
  /** Wanted settings, for a change of settings. `revision` is the target of a rollback. */
  readonly settings?: unknown;
  readonly revision?: string;
}
export interface Entry extends About {
  readonly id: number;
  readonly round: number;
  readonly kind: string;
  readonly key: string;
  fate: Fate;
  status?: number;
  pipelineId?: string;
  /** Other content of the answer: a version, a digest. */
  reported?: string;
  /** It went unanswered, and was sent again with its key. */
  isRepeated?: boolean;
}

export class Journal {
  readonly entries: Entry[] = [];
  readonly #file: string;
  readonly #run: string;
  round = 0;

  constructor(file: string, run: string) {
    this.#file = file;
    this.#run = run;
  }

  send(kind: string, about: About): Entry {
    const id = this.entries.length + 1;
    const entry: Entry = { id, round: this.round, kind, key: `${this.#run}-${id}`, ...about, fate: 'pending' };
    this.entries.push(entry);
    this.#write('sent', entry);
    return entry;
  }

  settle(entry: Entry, fate: Fate, known: Pick<Entry, 'status' | 'pipelineId' | 'reported' | 'isRepeated'> = {}): void {
    Object.assign(entry, { fate }, known);
    this.#write('known', entry);
  }

  #write(what: string, { settings, ...entry }: Entry): void {
    appendFileSync(
      this.#file,
      `${JSON.stringify({ what, at: new Date().toISOString(), ...entry, ...(what === 'sent' && { settings }) })}\n`,
    );
  }

  of(kind: string, ...fates: readonly Fate[]): Entry[] {
    return this.entries.filter((entry) => entry.kind === kind && (fates.length === 0 || fates.includes(entry.fate)));
  }

  /** The lines about whatever a text names, the latest, for a report. */
  linesAbout(text: string, most = 12): string[] {
    const named = this.entries.filter((entry) =>
      [entry.app, entry.team, entry.name, entry.pipelineId, entry.reported].some((value) => value !== undefined && text.includes(value)),
    );
    return named.slice(-most).map((entry) => JSON.stringify(entry, (name, value: unknown) => (name === 'settings' ? undefined : value)));
  }
}
