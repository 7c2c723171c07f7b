/**
 * An LRU cache of open files for all logs, so that thousands of partitions do not need thousands of descriptors. Everything here is
 * synchronous: a descriptor is used in the turn in which it was requested, so that none is closed during a read.
 */
import fs from 'node:fs';

const OPEN_AT_MOST = 512;

export class OpenFiles {
  readonly #descriptors = new Map<string, number>();
  readonly #atMost: number;

  constructor(atMost = OPEN_AT_MOST) {
    this.#atMost = atMost;
  }

  /** Creates the file if it is missing. */
  use(file: string): number {
    const known = this.#descriptors.get(file);
    if (known !== undefined) {
      if (this.#descriptors.size > this.#atMost / 2) this.#touch(file, known);
      return known;
    }
    const [oldest] = this.#descriptors.keys();
    if (oldest !== undefined && this.#descriptors.size >= this.#atMost) this.close(oldest);
    const descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    this.#descriptors.set(file, descriptor);
    return descriptor;
  }

  /** Must be called before a file is removed or replaced. */
  close(file: string): void {
    const descriptor = this.#descriptors.get(file);
    if (descriptor === undefined) return;
    this.#descriptors.delete(file);
    fs.closeSync(descriptor);
  }

  closeAll(): void {
    for (const file of this.#descriptors.keys()) this.close(file);
  }

  #touch(file: string, descriptor: number): void {
    this.#descriptors.delete(file);
    this.#descriptors.set(file, descriptor);
  }
}
