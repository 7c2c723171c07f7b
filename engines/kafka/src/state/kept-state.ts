/** A value in memory, backed by a small file. A change becomes visible after it is in the file, and changes are serialized. */
import { parsed, readState, writeState } from './state-file.ts';

export class KeptState<State> {
  readonly #file: string;
  #value: State;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: string, value: State) {
    this.#file = file;
    this.#value = value;
  }

  /** `read` validates the file's content. It gets undefined if there is no file yet. */
  static async open<State>(file: string, read: (found: unknown) => State): Promise<KeptState<State>> {
    const found = await readState(file);
    return new KeptState(
      file,
      parsed(file, () => read(found)),
    );
  }

  get value(): State {
    return this.#value;
  }

  /** Changes the state. Writes nothing if the state is the same object. If the write fails, the promise rejects and nothing has changed. */
  change<Result>(to: (state: State) => { readonly state: State; readonly result: Result }): Promise<Result> {
    const changed = this.#last.then(async () => {
      const { state, result } = to(this.#value);
      if (state !== this.#value) {
        await writeState(this.#file, state);
        this.#value = state;
      }
      return result;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }

  /** Waits for all changes so far. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
