/** A revision's log for the screen: its lines, whether they are live, and how far back they reach. */
import { useEffect, useState } from 'react';
import { createLogStore, linesKept, type LogStore } from '#kit/log/log-store.ts';
import { followLog, readPrevious, type LogRef, type StreamState } from './log-stream.ts';

/** Lines to begin with. */
const tailShort = 2000;

export interface RevisionLog {
  store: LogStore;
  stream: StreamState;
  /** Fewer old lines are shown than there may be. */
  isCut: boolean;
  showAll: () => void;
}

export interface RevisionLogOptions {
  isAllowed: boolean;
  /** A link to an old line asks for all there are. */
  startsWhole: boolean;
  /** What ran before the last restart, instead of what runs. */
  isPrevious: boolean;
}

export const useRevisionLog = (ref: LogRef, { isAllowed, startsWhole, isPrevious }: RevisionLogOptions): RevisionLog => {
  const [tail, setTail] = useState(startsWhole ? linesKept : tailShort);
  const key = `${ref.app}/${ref.env}/${ref.service}/${ref.revision}/${tail}${isPrevious ? '/previous' : ''}`;
  const [log, setLog] = useState(() => ({ key, store: createLogStore() }));
  const [stream, setStream] = useState<StreamState>({ state: 'connecting' });
  if (log.key !== key) {
    setLog({ key, store: createLogStore() });
    setStream({ state: 'connecting' });
  }
  const { store } = log;
  const { app, env, service, revision } = ref;
  useEffect(() => {
    if (!isAllowed) return;
    const stop = new AbortController();
    const read = isPrevious ? readPrevious : followLog;
    void read({ ref: { app, env, service, revision }, store, tail, signal: stop.signal, tell: setStream });
    return () => stop.abort();
  }, [app, env, service, revision, store, tail, isAllowed, isPrevious]);
  return { store, stream, isCut: tail === tailShort, showAll: () => setTail(linesKept) };
};
