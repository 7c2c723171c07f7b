/** Gives all requests of one click or navigation the same trace id, so that an operator finds everything that the click caused. */
import { setExtraHeaders } from './call.ts';

/** Later requests, such as polls, belong to no click. */
const CLICK_MS = 5000;
const GESTURES = ['click', 'submit', 'keydown', 'popstate'] as const;

const hex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A trace context in W3C format: trace id, span id, and the flag `sampled`. The server decides which traces it records. */
const newContext = (): string => `00-${hex(16)}-${hex(8)}-01`;

let current = { context: '', at: -CLICK_MS };

const begin = (): void => {
  current = { context: newContext(), at: performance.now() };
};

export const traceHeaders = (): Record<string, string> => ({
  traceparent: performance.now() - current.at < CLICK_MS ? current.context : newContext(),
});

/** Runs before the handlers of the page, because it listens on the window in the capturing phase. */
export const traceGestures = (): void => {
  begin();
  for (const gesture of GESTURES) addEventListener(gesture, begin, { capture: true });
  setExtraHeaders(traceHeaders);
};
