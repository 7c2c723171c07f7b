/** The thread that reads source maps. They were uploaded by teams, so a large one must not block the server. */
import { parentPort } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { StackFrame } from '@slipway/contract/monitoring/readings.ts';
import type { AskedFrame } from './map-thread.ts';

const MAX_BYTES = 32 * 1024 * 1024;

const openMap = (content: Uint8Array): TraceMap | undefined => {
  try {
    return new TraceMap(gunzipSync(content, { maxOutputLength: MAX_BYTES }).toString('utf8'));
  } catch {
    return undefined;
  }
};

const translated = ({ frame, map }: AskedFrame, maps: ReadonlyMap<string, TraceMap | undefined>): StackFrame => {
  const plain = { ...frame, isMapped: false };
  const trace = maps.get(map);
  if (!trace || frame.line === null || frame.column === null || frame.line < 1 || frame.column < 1) return plain;
  // Browsers count columns from 1, source maps from 0.
  const found = originalPositionFor(trace, { line: frame.line, column: frame.column - 1 });
  if (found.source === null) return plain;
  return { function: found.name ?? frame.function, file: found.source, line: found.line, column: found.column + 1, isMapped: true };
};

parentPort?.on('message', ({ asked, maps }: { asked: readonly AskedFrame[]; maps: ReadonlyMap<string, Uint8Array> }) => {
  const opened = new Map([...maps].map(([file, content]) => [file, openMap(content)]));
  parentPort?.postMessage(asked.map((one) => translated(one, opened)));
});
