/** Server-sent events over fetch: EventSource cannot send the Bearer header, and a token never stands in a URL. */

/** `event` is `message` where the server names none. */
export type OnEvent = (data: string, event: string) => void;

/** Splits a stream of text into events. Comments (heartbeats) and other fields are left out. */
export const createEventParser = (onEvent: OnEvent): ((chunk: string) => void) => {
  let rest = '';
  let data: string[] = [];
  let event = 'message';
  return (chunk) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) onEvent(data.join('\n'), event);
        data = [];
        event = 'message';
      } else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      else if (line.startsWith('event:')) event = line.slice(6).trim();
    }
  };
};

export interface StreamOptions {
  token: string;
  signal: AbortSignal;
  onOpen: () => void;
  onEvent: OnEvent;
  /** A stream that says nothing for that long is dead, milliseconds; heartbeats count. */
  silenceMs: number;
}

/** Resolves when the server ends the stream; rejects when it is refused, broken or silent. The status of a refusal is in the message. */
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
