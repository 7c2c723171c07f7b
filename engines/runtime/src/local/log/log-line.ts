/** Stored form of a log line: number, time, stream, text. The platform adds its own lines; one of them marks a restart. */
import type { LogLine } from '@slipway/foundation/ports/runtime.ts';

export interface StoredLine extends LogLine {
  /** True for the platform's restart mark, which programs cannot write. */
  readonly isRestart: boolean;
}
const LETTERS = { stdout: 'o', stderr: 'e', restart: 'r', platform: 'p' } as const;
export type LogSource = keyof typeof LETTERS;

export const formatLogLine = ({ number, at, source, line }: { number: number; at: Date; source: LogSource; line: string }): string =>
  `${number} ${at.toISOString()} ${LETTERS[source]} ${line}\n`;

/** Returns undefined for malformed text, such as a line truncated by a machine crash. */
export function parseLogLine(text: string, instance: string): StoredLine | undefined {
  const match = /^(\d+) (\S+) ([oerp]) (.*)$/s.exec(text);
  if (!match) return undefined;
  const [, number, at = '', stream, line = ''] = match;
  const isRestart = stream === 'r';
  return { at: new Date(at), instance, stream: stream === 'o' ? 'stdout' : 'stderr', line, number: Number(number), isRestart };
}
