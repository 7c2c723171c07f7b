/** The stored form of a log line: number, time, stream, text. */
import type { LogLine } from '#ports/runtime.ts';

export const formatLogLine = ({ number, at, stream, line }: Omit<LogLine, 'instance'>): string =>
  `${number} ${at.toISOString()} ${stream === 'stderr' ? 'e' : 'o'} ${line}\n`;

/** undefined for text that is not one, such as a line that a crash of the machine cut off. */
export function parseLogLine(text: string, instance: string): LogLine | undefined {
  const match = /^(\d+) (\S+) ([oe]) (.*)$/s.exec(text);
  if (!match) return undefined;
  const [, number, at = '', stream, line = ''] = match;
  return { at: new Date(at), instance, stream: stream === 'e' ? 'stderr' : 'stdout', line, number: Number(number) };
}
