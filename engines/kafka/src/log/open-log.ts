/**
 * Opens a log in any state that its process left. Trusts the checkpoint up to its position, and checks what follows batch by batch.
 * Truncates a torn end (damage.ts).
 */
import fs from 'node:fs';
import path from 'node:path';
import { isSound } from './batch.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { cutOff } from './damage.ts';
import type { LogSettings } from './log-settings.ts';
import { PartitionLog, type LogTools } from './partition-log.ts';
import { segmentBases } from './segment.ts';

export const openLog = (directory: string, settings: LogSettings, tools: LogTools): PartitionLog => {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const log = new PartitionLog(directory, settings, tools);
  recover(log);
  return log;
};

const recover = (log: PartitionLog): void => {
  const checkpoint = readCheckpoint(log.directory);
  removeLeftovers(log.directory);
  const bases = segmentBases(log.directory);
  const last = Math.max(bases.at(-1) ?? 0, checkpoint?.base ?? 0);
  log.producers.restore(checkpoint?.producers ?? []);
  for (const base of bases) if (base < last) loadClosed(log, base, checkpoint);
  const active = log.addSegment(last);
  // After a crash of the machine the file may be shorter than the checkpoint says.
  const size = fs.statSync(active.file, { throwIfNoEntry: false })?.size ?? 0;
  const known = checkpoint?.base === last && checkpoint.position <= size ? checkpoint : { position: 0, endOffset: last };
  log.endOffset = known.endOffset;
  log.cleanedTo = checkpoint?.cleanedTo ?? 0;
  if (bases.at(-1) === last) checkTail(log, known.position);
  log.startOffset = Math.min(log.endOffset, Math.max(checkpoint?.startOffset ?? 0, log.segments[0]?.base ?? 0));
  if (active.bytes > known.position) log.checkpoint();
};

/** Loads a closed segment. Records the producers of batches after the last checkpoint, in case the disk had no space for a newer one. */
const loadClosed = (log: PartitionLog, base: number, checkpoint: Checkpoint | undefined): void => {
  const segment = log.addSegment(base);
  const end = segment.load();
  const { bytes, file } = segment;
  if (end < bytes)
    log.tools.log('error', 'a log is damaged: the rest of this file cannot be read', { file, position: end, bytes: bytes - end });
  if (checkpoint && base < checkpoint.base) return;
  const from = checkpoint?.base === base ? checkpoint.position : 0;
  for (const { head } of segment.walk(from)) log.producers.note(head, head.baseOffset, log.tools.now());
};

const checkTail = (log: PartitionLog, from: number): void => {
  const { active } = log;
  active.load(from);
  let end = from;
  for (const found of active.walk(end)) {
    const { head, position } = found;
    if (head.baseOffset < log.endOffset || !isSound(active.read(position, head.bytes))) break;
    active.accept(found);
    log.producers.note(head, head.baseOffset, log.tools.now());
    log.endOffset = head.lastOffset + 1;
    end = position + head.bytes;
  }
  if (end < active.bytes) cutOff(log, end);
};

/** Removes unfinished files of compactions and checkpoints. */
const removeLeftovers = (directory: string): void => {
  for (const name of fs.readdirSync(directory)) if (name.endsWith('.new')) fs.rmSync(path.join(directory, name));
};
