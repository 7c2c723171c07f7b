/** A revision's log for display: lines, live state, and whether older lines are missing. */
import { useEffect, useState } from 'react';
import { createLogStore, linesKept, type LogStore } from '#kit/log/log-store.ts';
import { followLog, readPrevious, type LogRef, type StreamState } from './log-stream.ts';

/** Number of lines to start with. */
const tailShort = 2000;

export interface RevisionLog {
  store: LogStore;
  stream: StreamState;
  /** There may be more old lines than shown. */
  isCut: boolean;
  showAll: () => void;
}

export interface RevisionLogOptions {
  isAllowed: boolean;
  /** A link to an old line loads all available lines. */
  startsWhole: boolean;
  /** Shows the run before the last restart instead of the current one. */
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
