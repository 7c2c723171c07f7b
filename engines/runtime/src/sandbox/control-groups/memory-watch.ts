/** Samples memory each second if no control group can be created, and reports commands above their limit. */
import { descendants, ownMemoryBytes, readProcesses } from '../process-tree.ts';

interface Watched {
  readonly child: { readonly pid?: number | undefined };
}

export class MemoryWatch {
  readonly #limits = new Map<Watched, { readonly bytes: number; readonly onExceeded: () => void }>();
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs = 1000) {
    this.#everyMs = everyMs;
  }

  /** Watches a command. A limit of 0 means none. */
  add(watched: Watched, bytes: number, onExceeded: () => void): void {
    if (bytes === 0 || process.platform !== 'linux') return;
    this.#limits.set(watched, { bytes, onExceeded });
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
  }

  remove(watched: Watched): void {
    this.#limits.delete(watched);
    if (this.#limits.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const table = readProcesses();
    for (const [{ child }, { bytes, onExceeded }] of this.#limits) {
      if (child.pid === undefined) continue;
      const used = descendants(child.pid, table).reduce((sum, row) => sum + ownMemoryBytes(row.pid), 0);
      if (used > bytes) onExceeded();
    }
  }
}
