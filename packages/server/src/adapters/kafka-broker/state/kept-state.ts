/** A value that lives in memory and in a small file. A change is in the file before anybody sees it, and changes wait for each other. */
import { parsed, readState, writeState } from './state-file.ts';

export class KeptState<State> {
  readonly #file: string;
  #value: State;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: string, value: State) {
    this.#file = file;
    this.#value = value;
  }

  /** `read` checks what the file holds: undefined where there is no file yet. */
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

  /** The same state again writes nothing. Fails as writing fails, and then nothing has changed. */
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

  /** When every change so far is done. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
