/** Streams new messages as server-sent events: at most 20 per second, with a count of skipped ones. Ends after ten minutes. */
import { PassThrough } from 'node:stream';
import { messageLimits, type TopicMessage } from '@slipway/contract/streaming/message.ts';
import type { Log } from '#ports/log.ts';
import type { StreamMessage } from '#ports/streaming.ts';

export interface TailOptions {
  readonly messages: (signal: AbortSignal) => AsyncIterable<StreamMessage>;
  readonly show: (message: StreamMessage) => Promise<TopicMessage>;
  readonly log: Log;
  readonly lifeMs?: number;
}
const SECOND_MS = 1000;
/** Disconnects a browser that has not read this many bytes. */
const BACKLOG_BYTES = 1024 * 1024;

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

export const tailMessages = ({ messages, show, log, lifeMs = messageLimits.tailMinutes * 60_000 }: TailOptions): PassThrough => {
  const body = new PassThrough();
  const ending = new AbortController();
  let shown = 0;
  let skipped = 0;
  /** Partition → next expected offset. A gap means skipped messages. */
  const expected = new Map<number, bigint>();
  const beat = setInterval(() => {
    // The comment keeps proxies from closing an idle stream.
    body.write(skipped > 0 ? event('skipped', { count: skipped }) : ': quiet\n\n');
    shown = 0;
    skipped = 0;
    if (body.readableLength > BACKLOG_BYTES) body.destroy();
  }, SECOND_MS);
  const life = setTimeout(() => body.end(event('end', { reason: 'TIME' })), lifeMs);
  body.once('close', () => {
    clearInterval(beat);
    clearTimeout(life);
    ending.abort();
  });
  const pump = async (): Promise<void> => {
    for await (const message of messages(ending.signal)) {
      if (body.destroyed || body.writableEnded) return;
      const { partition, offset } = message;
      skipped += Number(offset - (expected.get(partition) ?? offset));
      expected.set(partition, offset + 1n);
      shown += 1;
      if (shown > messageLimits.tailPerSecond) skipped += 1;
      else body.write(event('message', await show(message)));
    }
  };
  body.write(': open\n\n');
  pump().catch((error: unknown) => {
    if (ending.signal.aborted || body.writableEnded) return;
    log.warn({ err: error }, 'A live view of a topic ended');
    body.end(event('end', { reason: 'FAILED' }));
  });
  return body;
};
