/** The node agent's log: a file of bounded size, since the agent must not depend on a reader. The driving server passes on new lines. */
import { closeSync, copyFileSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 5 * 1024 * 1024;
const READ_EVERY_MS = 250;
const MAX_READ_BYTES = 64 * 1024;

const logFile = (dataDir: string): string => join(dataDir, 'agent.log');

/** Opens the log for an agent's standard error, which also gets Node's own crash output. */
export function openAgentLog(dataDir: string): number {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return openSync(logFile(dataDir), 'a', 0o600);
}

/** Log stream of an agent, to its standard error. A full disk only loses lines. */
export function agentLogStream(dataDir: string): { write(line: string): void } {
  return {
    write(line) {
      try {
        if (fstatSync(2).size > MAX_BYTES) {
          copyFileSync(logFile(dataDir), `${logFile(dataDir)}.1`);
          ftruncateSync(2, 0);
        }
        writeSync(2, line);
      } catch {
        // There is nowhere to report this.
      }
    },
  };
}

/** Passes on text added from now on. Returns a function that reads the rest and stops. */
export function followAgentLog(dataDir: string, pass: (text: Uint8Array) => void): () => void {
  closeSync(openAgentLog(dataDir));
  const reader = openSync(logFile(dataDir), 'r');
  const buffer = Buffer.alloc(MAX_READ_BYTES);
  let position = fstatSync(reader).size;
  const read = (): void => {
    // The file was truncated.
    if (fstatSync(reader).size < position) position = 0;
    const count = readSync(reader, buffer, 0, buffer.length, position);
    position += count;
    if (count > 0) pass(Buffer.from(buffer.subarray(0, count)));
  };
  const timer = setInterval(read, READ_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    read();
    closeSync(reader);
  };
}
