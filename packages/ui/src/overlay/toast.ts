// Short messages at the edge of the screen, callable from anywhere. Successes disappear after five seconds; failures stay until closed.

export interface ToastDetails {
  /** A second line. */
  detail?: string;
  /** Link target, with `linkLabel` as its text. */
  href?: string;
  linkLabel?: string;
  /** For failures: the text that "Copy details" copies, and the id that support asks for. */
  copyText?: string;
  traceId?: string;
}

export interface ToastData extends ToastDetails {
  kind: 'success' | 'failure';
  /** How often the same message came while visible. */
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
/** The component that shows the messages; it is loaded with the first one. */
interface Shown {
  add: (message: Message) => string;
  close: (id: string) => void;
}

let shown: Shown | undefined;
/** Messages from before the component was loaded. */
let waiting: Message[] = [];
const counts = new Map<string, number>();

const listeners = new Set<() => void>();
let isWanted = false;
/** True after the first message. */
export const toastsWanted = {
  get: () => isWanted,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** Connects the component that shows messages and hands over the waiting ones. Returns a function that disconnects it. */
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

/** A repeated message is not added again but counted. Returns the id for `close`. */
export const toast = {
  success: (title: string, details: ToastDetails = {}): string => show('success', title, details),
  failure: (title: string, details: ToastDetails = {}): string => show('failure', title, details),
  close: (id: string): void => {
    waiting = waiting.filter((message) => message.id !== id);
    shown?.close(id);
  },
};
