// Short messages at the edge of the screen, to be called from anywhere. Successes leave after five seconds; failures stay until closed.

export interface ToastDetails {
  /** A second line. */
  detail?: string;
  /** Where to look, with the words of the link. */
  href?: string;
  linkLabel?: string;
  /** Of a failure: what "Copy details" copies, and the id that support asks for. */
  copyText?: string;
  traceId?: string;
}

export interface ToastData extends ToastDetails {
  kind: 'success' | 'failure';
  /** How often the same message came while it was on screen. */
  count: number;
}

interface Message {
  id: string;
  title: string;
  description?: string | undefined;
  type: string;
  timeout: number;
  priority: 'low' | 'high';
  data: ToastData;
  onClose: () => void;
  onRemove: () => void;
}
/** What shows the messages; it is loaded with the first one. */
interface Shown {
  add: (message: Message) => string;
  close: (id: string) => void;
}

let shown: Shown | undefined;
/** What was said before there was anything to show it. */
let waiting: Message[] = [];
const counts = new Map<string, number>();

const listeners = new Set<() => void>();
let isWanted = false;
/** Whether there has been a message, or the place of messages is loaded already. */
export const toastsWanted = {
  get: () => isWanted,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** The place of messages is there: it takes what waits, and what comes. The returned function takes it away. */
export function attachToasts(place: Shown): () => void {
  shown = place;
  for (const message of waiting) place.add(message);
  waiting = [];
  return () => {
    if (shown === place) shown = undefined;
  };
}

function add(message: Message): void {
  if (shown) shown.add(message);
  else waiting.push(message);
  isWanted = true;
  for (const listener of listeners) listener();
}

function show(kind: ToastData['kind'], title: string, details: ToastDetails): string {
  const id = `${kind}:${title}:${details.detail ?? ''}`;
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  add({
    id,
    title,
    description: details.detail,
    type: kind,
    timeout: kind === 'failure' ? 0 : 5000,
    priority: kind === 'failure' ? 'high' : 'low',
    data: { ...details, kind, count },
    onClose: () => counts.delete(id),
    onRemove: () => counts.delete(id),
  });
  return id;
}

/** The same message again does not pile up: it counts. Returns the id for `close`. */
export const toast = {
  success: (title: string, details: ToastDetails = {}): string => show('success', title, details),
  failure: (title: string, details: ToastDetails = {}): string => show('failure', title, details),
  close: (id: string): void => {
    waiting = waiting.filter((message) => message.id !== id);
    shown?.close(id);
  },
};
