/**
 * The node agent's log: a file of bounded size, since the agent must not depend on anybody who reads along. The server that drives it
 * passes on what is added.
 */
import { closeSync, copyFileSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 5 * 1024 * 1024;
const READ_EVERY_MS = 250;
const MAX_READ_BYTES = 64 * 1024;

const logFile = (dataDir: string): string => join(dataDir, 'agent.log');

/** For an agent's standard error: what it says, and what Node says of its end. */
export function openAgentLog(dataDir: string): number {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return openSync(logFile(dataDir), 'a', 0o600);
}

/** Where an agent writes, on its standard error. A disk that is full costs lines, and nothing else. */
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
        // There is nowhere to say so.
      }
    },
  };
}

/** Passes on what is added from now on; answers how to stop, after what there is. */
export function followAgentLog(dataDir: string, pass: (text: Uint8Array) => void): () => void {
  closeSync(openAgentLog(dataDir));
  const reader = openSync(logFile(dataDir), 'r');
  const buffer = Buffer.alloc(MAX_READ_BYTES);
  let position = fstatSync(reader).size;
  const read = (): void => {
    // It was begun anew.
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
