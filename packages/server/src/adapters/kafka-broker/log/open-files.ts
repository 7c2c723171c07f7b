/**
 * The open files of all logs: the ones used last, so that thousands of partitions need no thousands of descriptors. Everything is synchronous
 * here: a descriptor is used in the turn in which it was asked for, so that none is closed under a reader.
 */
import fs from 'node:fs';

const OPEN_AT_MOST = 512;

export class OpenFiles {
  readonly #descriptors = new Map<string, number>();
  readonly #atMost: number;

  constructor(atMost = OPEN_AT_MOST) {
    this.#atMost = atMost;
  }

  /** Made when it is not there. */
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

  /** Before a file is removed or replaced. */
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
