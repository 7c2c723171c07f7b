/** The log of a build: whole lines, without colours and secrets, and not without end. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

const LINE_LIMIT = 2000;
const LINES_LIMIT = 5000;

/** In this order: what follows the word Bearer is the secret, not the word. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\/\/[^/@\s]+@/g, '//***@'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 ***'],
  [/\b(_auth|_authToken|_password|[a-z0-9_]*(?:password|passwd|secret|api_?key|_token))(["']?\s*[=:]\s*["']?)[^\s"']+/gi, '$1$2***'],
];

/** Blanks what looks like credentials: the build has none of ours, but a source tree may hold somebody's. */
export const withoutSecrets = (line: string): string => SECRETS.reduce((text, [pattern, shown]) => text.replace(pattern, shown), line);

export class BuildLog {
  readonly #onLog: (line: string) => void;
  #lines = 0;

  constructor(onLog: (line: string) => void) {
    this.#onLog = onLog;
  }

  /** A line of the builder itself. */
  say(line: string): void {
    this.#onLog(withoutSecrets(line));
  }

  /** Passes on what a program prints, indented, until the stream ends. */
  async follow(stream: Readable): Promise<void> {
    stream.setEncoding('utf8');
    for await (const raw of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      this.#lines += 1;
      const line = stripVTControlCharacters(raw).slice(0, LINE_LIMIT).trimEnd();
      if (this.#lines === LINES_LIMIT) this.#onLog('  … further output is left out');
      if (this.#lines < LINES_LIMIT && line !== '') this.#onLog(`  ${withoutSecrets(line)}`);
    }
  }
}
