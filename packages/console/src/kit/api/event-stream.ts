/** Reads server-sent events with fetch: EventSource cannot send the Bearer header, and a token must never be in a URL. */
import { createParser } from 'eventsource-parser';

/** `event` is `message` if the server names none. */
export type OnEvent = (data: string, event: string) => void;

/** Splits a text stream into events. Skips comments (heartbeats) and other fields. */
export const createEventParser = (onEvent: OnEvent): ((chunk: string) => void) =>
  createParser({ onEvent: ({ data, event = 'message' }) => onEvent(data, event) }).feed;

export interface StreamOptions {
  token: string;
  signal: AbortSignal;
  onOpen: () => void;
  onEvent: OnEvent;
  /** The stream counts as dead after this many milliseconds without data; heartbeats count as data. */
  silenceMs: number;
}

/** Resolves when the server ends the stream. Rejects when it is refused, broken or silent; a refusal's message has the status. */
export const readEvents = async (url: string, { token, signal, onOpen, onEvent, silenceMs }: StreamOptions): Promise<void> => {
  const silence = new AbortController();
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, cache: 'no-store', signal: AbortSignal.any([signal, silence.signal]) });
  if (!response.ok || !response.body) throw new StreamRefused(response.status);
  onOpen();
  const parse = createEventParser(onEvent);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      parse(value);
    }
  } finally {
    clearTimeout(timer);
  }
};

export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
  readonly status: number;
  constructor(status: number) {
    super(`The event stream was refused: ${status}`);
    this.status = status;
  }
}
