/** The log of a build: complete lines, without colors and secrets, and limited in length. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

const LINE_LIMIT = 2000;
const LINES_LIMIT = 5000;
const RECENT_LINES = 40;
/** Matches the readable sentence of npm's error output, not the codes, paths and hints around it. */
const NPM_REASON = /^npm error (?!code|errno|syscall|path|command|dest|signal|A complete log|\s)(\d{3} )?(?=\S)/;

/** Order matters: the secret is the text after `Bearer`, not the word itself. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\/\/[^/@\s]+@/g, '//***@'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 ***'],
  [/\b(_auth|_authToken|_password|[a-z0-9_]*(?:password|passwd|secret|api_?key|_token))(["']?\s*[=:]\s*["']?)[^\s"']+/gi, '$1$2***'],
];

/** Masks likely credentials: the build has none of the platform's, but a source tree may contain some. */
export const withoutSecrets = (line: string): string => SECRETS.reduce((text, [pattern, shown]) => text.replace(pattern, shown), line);

type OutputName = 'stdout' | 'stderr';

export class BuildLog {
  readonly #onLog: (line: string) => void;
  #lines = 0;
  #recent: Record<OutputName, string[]> = { stdout: [], stderr: [] };

  constructor(onLog: (line: string) => void) {
    this.#onLog = onLog;
  }

  /** Logs a line of the builder itself. */
  say(line: string): void {
    this.#recent = { stdout: [], stderr: [] };
    this.#onLog(withoutSecrets(line));
  }

  /** Returns the best one-line reason from the output of the last program, or '' without output. */
  lastWords(): string {
    const { stdout, stderr } = this.#recent;
    const npm = stderr.find((line) => NPM_REASON.test(line))?.replace(NPM_REASON, '');
    // Compilers write errors to either stream.
    return npm ?? [...stdout, ...stderr].findLast((line) => !/^(npm |> |\s*at )/.test(line)) ?? '';
  }

  /** Logs a program's output, indented, until the stream ends. */
  async follow(stream: Readable, name: OutputName): Promise<void> {
    stream.setEncoding('utf8');
    for await (const raw of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      this.#lines += 1;
      const line = stripVTControlCharacters(raw).slice(0, LINE_LIMIT).trimEnd();
      if (this.#lines === LINES_LIMIT) this.#onLog('  … further output is left out');
      if (line === '') continue;
      const shown = withoutSecrets(line);
      this.#recent[name] = [...this.#recent[name], shown].slice(-RECENT_LINES);
      if (this.#lines < LINES_LIMIT) this.#onLog(`  ${shown}`);
    }
  }
}
