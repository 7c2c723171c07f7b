/** A step's log: lines are collected and written in batches, so that a chatty build does not mean a commit per line. */
import { sql } from 'kysely';
import type { Log } from '#ports/log.ts';
import type { LogLevel } from './definition.ts';
import type { Lease } from './lease.ts';

const FLUSH_MS = 200;
const LINE_CHARACTERS = 4000;
/** Per step and attempt. */
const MAX_LINES = 10_000;

interface Line {
  readonly at: string;
  readonly level: LogLevel;
  readonly line: string;
}

export class StepLog {
  readonly #lease: Lease;
  readonly #index: number;
  readonly #log: Log;
  #lines: Line[] = [];
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(lease: Lease, index: number, log: Log) {
    this.#lease = lease;
    this.#index = index;
    this.#log = log;
  }

  add(text: string, level: LogLevel = 'INFO'): void {
    const at = new Date().toISOString();
    for (const line of text.replace(/\n$/, '').split(/\r?\n/)) {
      this.#count += 1;
      if (this.#count > MAX_LINES) return;
      // PostgreSQL's text holds no NUL.
      const shown = this.#count === MAX_LINES ? 'The log is cut here: too many lines' : line.replaceAll('\0', '').slice(0, LINE_CHARACTERS);
      this.#lines.push({ at, level, line: shown });
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Writes what is there; never throws, since a log must not fail its step. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    try {
      await this.#insert(lines);
    } catch (error) {
      // Kept for the next flush while the lease is good: most likely the database restarts.
      if (!this.#lease.lost.aborted) this.#lines = [...lines, ...this.#lines].slice(-MAX_LINES);
      this.#log.warn({ err: error, runId: this.#lease.runId }, 'Could not write the log of a pipeline step');
    }
  }

  /** Numbers go on from what is there, so that a step that is taken over continues its log. */
  async #insert(lines: readonly Line[]): Promise<void> {
    const { runId, db } = this.#lease;
    await sql`
      insert into pipeline_log (run_id, step_index, number, at, level, line)
      select ${runId}, ${this.#index}, before.number + line.ordinality, line.at, line.level, line.line
      from (select coalesce(max(number), 0) as number from pipeline_log where run_id = ${runId} and step_index = ${this.#index}) as before,
        unnest(${lines.map(({ at }) => at)}::timestamptz[], ${lines.map(({ level }) => level)}::text[], ${lines.map(({ line }) => line)}::text[])
          with ordinality as line (at, level, line, ordinality)`.execute(db);
  }
}
