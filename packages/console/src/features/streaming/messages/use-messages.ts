/** The messages of a topic, page by page, with live messages first. Keeps at most as many as the page can hold. */
import {
  messageLimits,
  topicMessageList,
  topicMessageTail,
  type SkippedRange,
  type TopicMessage,
} from '@slipway/contract/streaming/message.ts';
import { useEffect, useEffectEvent, useState } from 'react';
import { call, urlOf } from '#kit/api/call.ts';
import { readEvents } from '#kit/api/event-stream.ts';
import { isEngineAway } from '#kit/api/query.ts';
import { accessToken } from '#kit/api/session.ts';
import { useAskWhoIsAway, type TopicPlace } from '#features/streaming/use-place.ts';
import { messageKey } from './message-rows.ts';

export const mostRows = 500;
const pageSize = 50;

export interface Asked {
  from: 'NEWEST' | 'OLDEST' | 'OFFSET' | 'TIME';
  partition: string;
  offset: string;
  time: string;
  key: string;
}
export interface Messages {
  rows: readonly TopicMessage[];
  next: string | null;
  scanned: number;
  /** Messages that exist but cannot be shown. */
  skipped: readonly SkippedRange[];
  /** Number of messages not searched yet. */
  left: number;
  isLoading: boolean;
  /** True while a search by key continues, until a page of messages is found or `stop` is called. */
  isSearching: boolean;
  stop: () => void;
  error: unknown;
  more: () => void;
  /** Adds new messages at the top. */
  add: (messages: readonly TopicMessage[]) => void;
  again: () => void;
}

const queryOf = ({ from, partition, offset, time, key }: Asked, next: string | undefined) => ({
  from,
  limit: pageSize,
  ...(partition === '' ? {} : { partition }),
  ...(from === 'OFFSET' ? { offset: offset === '' ? '0' : offset } : {}),
  ...(from === 'TIME' && time !== '' ? { time: new Date(time).toISOString() } : {}),
  ...(key === '' ? {} : { key }),
  ...(next === undefined ? {} : { next }),
});

interface State {
  /** The query that this state belongs to. State of another query is discarded. */
  question: string;
  rows: readonly TopicMessage[];
  next: string | null;
  scanned: number;
  skipped: readonly SkippedRange[];
  left: number;
  /** The response was cut short. A search continues automatically. */
  isPartial: boolean;
  error: unknown;
}
const nothing: State = { question: '', rows: [], next: null, scanned: 0, skipped: [], left: 0, isPartial: false, error: undefined };

export const useMessages = (place: TopicPlace, asked: Asked): Messages => {
  const [state, setState] = useState(nothing);
  const [isReadingOn, setReadingOn] = useState(false);
  const [round, setRound] = useState(0);
  const { app, env, topic } = place;
  const question = JSON.stringify([app, env, topic, asked, round]);
  const [goal, setGoal] = useState({ question, rows: pageSize });
  if (goal.question !== question) setGoal({ question, rows: pageSize });
  const read = useEffectEvent((signal: AbortSignal): void => {
    call(topicMessageList, { params: { app, env, topic }, query: queryOf(asked, undefined) }, { signal }).then(
      ({ messages, next, scanned, skipped, left, isPartial }) =>
        setState({ question, rows: messages, next, scanned, skipped, left, isPartial, error: undefined }),
      (error: unknown) => !signal.aborted && setState({ ...nothing, question, error }),
    );
  });
  useEffect(() => {
    const stop = new AbortController();
    read(stop.signal);
    return () => stop.abort();
  }, [question]);
  const fetchOn = async (next: string): Promise<void> => {
    // The query may have changed during the request.
    const set = (change: (before: State) => State): void => setState((before) => (before.question === question ? change(before) : before));
    try {
      const page = await call(topicMessageList, { params: { app, env, topic }, query: queryOf(asked, next) });
      set((before) => ({
        ...before,
        rows: [...before.rows, ...page.messages].slice(0, mostRows),
        next: page.next,
        scanned: before.scanned + page.scanned,
        skipped: [...before.skipped, ...page.skipped],
        left: page.left,
        isPartial: page.isPartial,
      }));
    } catch (error) {
      set((before) => ({ ...before, error }));
    }
  };
  const readOn = async (next: string): Promise<void> => {
    setReadingOn(true);
    await fetchOn(next);
    setReadingOn(false);
  };
  useAskWhoIsAway(place, isEngineAway(state.error));
  const isCurrent = state.question === question;
  const mayGoOn = isCurrent && state.isPartial && state.next !== null && state.error === undefined;
  const isSearching = mayGoOn && asked.key !== '' && state.rows.length < goal.rows && goal.question === question;
  const goOn = useEffectEvent((next: string) => void fetchOn(next));
  // Each request searches only briefly, so a rare key takes several requests.
  useEffect(() => {
    if (isSearching && state.next !== null) goOn(state.next);
  }, [isSearching, state.next]);
  const aim = (rows: number): void => setGoal({ question, rows });
  return {
    rows: state.rows,
    next: state.next,
    scanned: state.scanned,
    skipped: state.skipped,
    left: state.left,
    error: state.error,
    isLoading: !isCurrent || isReadingOn || isSearching,
    isSearching,
    stop: () => aim(0),
    more: () => {
      aim(state.rows.length + pageSize);
      // A search continues automatically.
      if (state.next !== null && (asked.key === '' || !state.isPartial)) void readOn(state.next);
    },
    add: (messages) =>
      setState((before) => {
        const known = new Set(before.rows.map(messageKey));
        return { ...before, rows: [...messages.filter((one) => !known.has(messageKey(one))), ...before.rows].slice(0, mostRows) };
      }),
    again: () => setRound((count) => count + 1),
  };
};

export interface TailState {
  state: 'off' | 'live' | 'ended' | 'failed';
  /** Messages dropped because more arrived than can be shown. */
  skipped: number;
}
/** The server sends a keep-alive comment every second. */
const silenceMs = 20_000;

interface TailOptions {
  isOn: boolean;
  /** Empty means all partitions. */
  partition: string;
  onMessage: (message: TopicMessage) => void;
  onEnd: () => void;
}

/** Receives new messages while `isOn`. Stops after ten minutes, and while the tab is hidden. */
export const useTail = (place: TopicPlace, { isOn, partition, onMessage, onEnd }: TailOptions): TailState => {
  const [tail, setTail] = useState<TailState>({ state: 'off', skipped: 0 });
  const { app, env, topic } = place;
  const took = useEffectEvent(onMessage);
  const ended = useEffectEvent(onEnd);
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const end = (state: TailState['state']): void => {
      if (stop.signal.aborted) return;
      stop.abort();
      setTail((before) => ({ ...before, state }));
      ended();
    };
    const hide = (): void => {
      if (document.hidden) end('ended');
    };
    const onEvent = (data: string, event: string): void => {
      const value: unknown = JSON.parse(data);
      if (event === 'message') took(value as TopicMessage);
      else if (event === 'skipped') setTail(({ state, skipped }) => ({ state, skipped: skipped + (value as { count: number }).count }));
      else if (event === 'end') end('ended');
    };
    const timer = setTimeout(() => end('ended'), messageLimits.tailMinutes * 60_000);
    document.addEventListener('visibilitychange', hide);
    const follow = async (): Promise<void> => {
      const token = await accessToken();
      const onOpen = (): void => setTail({ state: 'live', skipped: 0 });
      const query = partition === '' ? {} : { partition };
      await readEvents(urlOf(topicMessageTail, { params: { app, env, topic }, query }), {
        token,
        signal: stop.signal,
        onOpen,
        onEvent,
        silenceMs,
      });
    };
    follow().then(
      () => end('ended'),
      () => end('failed'),
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', hide);
    };
  }, [app, env, topic, partition, isOn]);
  return tail;
};
