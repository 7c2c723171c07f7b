/** A terminal for the examples of one document: a directory and variables that stay from block to block, and nothing of this machine's. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATIENCE_MS = 180_000;
/** A client that says nothing of a refusal would let every example pass. The scripts look themselves. */
const strictCurl = 'curl() { command curl --fail-with-body --silent --show-error --max-time 60 "$@"; }';

export interface ShellOptions {
  /** Made, with everything that the examples leave behind. */
  readonly folder: string;
  readonly token: string;
  readonly variables: Readonly<Record<string, string>>;
}

export class ExampleShell {
  readonly #state: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;

  constructor({ folder, token, variables }: ShellOptions) {
    const home = join(folder, 'home');
    mkdirSync(join(home, 'run'), { recursive: true });
    const ask = join(home, 'ask');
    writeFileSync(ask, `#!/bin/sh\necho '${token}'\n`);
    chmodSync(ask, 0o700);
    writeFileSync(join(home, '.gitconfig'), '[user]\nname = Ada\nemail = ada@example.test\n[advice]\ndetachedHead = false\n');
    this.#folder = folder;
    this.#state = join(home, 'state');
    writeFileSync(this.#state, '');
    this.#env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_RUNTIME_DIR: join(home, 'run'),
      GIT_ASKPASS: ask,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...variables,
    };
  }

  /** Every variable that a block sets is there for the next, as in a terminal. Answers what it printed; rejected when a command fails. */
  run(script: string): Promise<string> {
    const state = `'${this.#state}'`;
    const save = `{ declare -px; printf 'cd %q\\n' "$PWD"; } | grep -vE '^declare -[a-z]*r' > ${state}.new\nmv ${state}.new ${state}`;
    const whole = `${strictCurl}\nset -aeuo pipefail\n. ${state}\n${script}\n${save}\n`;
    return new Promise((resolve, reject) => {
      const child = spawn('bash', ['-c', whole], {
        cwd: this.#folder,
        env: this.#env,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: PATIENCE_MS,
      });
      let [printed, complained] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
      child.once('error', reject).once('close', (code) => {
        if (code === 0) resolve(printed);
        else reject(new Error(`It ended with ${code}.\n${script}\n${printed}\n${complained}`));
      });
    });
  }
}
