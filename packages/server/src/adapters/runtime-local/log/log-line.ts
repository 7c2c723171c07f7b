/** The stored form of a log line: number, time, stream, text. The platform has lines of its own: one marks where an instance was started again. */
import type { LogLine } from '#ports/runtime.ts';

export interface StoredLine extends LogLine {
  /** The platform's own word that a new run begins; programs cannot say it. */
  readonly isRestart: boolean;
}
const LETTERS = { stdout: 'o', stderr: 'e', restart: 'r', platform: 'p' } as const;
export type LogSource = keyof typeof LETTERS;

export const formatLogLine = ({ number, at, source, line }: { number: number; at: Date; source: LogSource; line: string }): string =>
  `${number} ${at.toISOString()} ${LETTERS[source]} ${line}\n`;

/** undefined for text that is not one, such as a line that a crash of the machine cut off. */
export function parseLogLine(text: string, instance: string): StoredLine | undefined {
  const match = /^(\d+) (\S+) ([oerp]) (.*)$/s.exec(text);
  if (!match) return undefined;
  const [, number, at = '', stream, line = ''] = match;
  const isRestart = stream === 'r';
  return { at: new Date(at), instance, stream: stream === 'o' ? 'stdout' : 'stderr', line, number: Number(number), isRestart };
}
