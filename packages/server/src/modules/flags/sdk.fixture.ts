/** An EventSource for GrowthBook's SDK in Node, which has none. It reads the stream with fetch and connects once. */
import { setTimeout as delay } from 'node:timers/promises';

type Listen = (event: { readonly type: string; readonly data: string }) => void;

export class TestEventSource {
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly #listeners = new Map<string, Listen>();
  readonly #ending = new AbortController();

  constructor(url: string) {
    void this.#read(url).catch(() => {
      this.readyState = 2;
      if (!this.#ending.signal.aborted) this.onerror?.();
    });
  }
  addEventListener(type: string, listen: Listen): void {
    this.#listeners.set(type, listen);
  }
  close(): void {
    this.#ending.abort();
  }
  async #read(url: string): Promise<void> {
    const { body, ok } = await fetch(url, { signal: this.#ending.signal });
    if (!ok || !body) throw new Error('no stream');
    this.readyState = 1;
    this.onopen?.();
    let text = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const type = /^event: (.*)$/m.exec(event)?.[1];
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (type !== undefined) this.#listeners.get(type)?.({ type, data: data ?? '' });
      }
    }
    await delay(0);
    throw new Error('the stream ended');
  }
}
