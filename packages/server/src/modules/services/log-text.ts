/** Log lines on the wire: plain text for people and curl, events for the console's live tail. */
import type { LogLine } from '#ports/runtime.ts';

/** `2026-11-20T12:00:00.000Z berth-1-abc stdout text`, or one event a line: `{ number, at, instance, stream, line }`. */
export async function* logText(lines: AsyncIterable<LogLine>, asEvents: boolean, since: Date): AsyncGenerator<string> {
  // The headers go out at once, although a quiet service says nothing for a while.
  if (asEvents) yield ': open\n\n';
  for await (const { number, at, instance, stream, line } of lines) {
    // An earlier service of this name, perhaps another team's, had a revision of this name.
    if (at < since) continue;
    yield asEvents
      ? `data: ${JSON.stringify({ number, at: at.toISOString(), instance, stream, line })}\n\n`
      : `${at.toISOString()} ${instance} ${stream} ${line}\n`;
  }
}
