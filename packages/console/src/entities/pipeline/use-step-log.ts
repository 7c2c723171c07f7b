/** Reads the log of a pipeline step: the existing lines first, then new ones while the step runs, by the last line number. */
import { pipelineStepLogs, type LogEntry } from '@slipway/contract/pipeline/pipeline.ts';
import { useEffect, useState } from 'react';
import { call } from '#kit/api/call.ts';
import { retries, retryMs } from '#kit/api/query.ts';
import { isStatus, type FetchError, type ResponseError } from '#kit/api/errors.ts';
import { createLogStore, type LogStore } from '#kit/log/log-store.ts';
import { cleanText, type LogLine, type LogLevel } from '#kit/log/log-line.ts';

export interface StepLogTarget {
  pipelineId: string;
  runId: string;
  /** The step's code. */
  step: string;
  isRunning: boolean;
}

export interface StepLog {
  store: LogStore;
  isLoading: boolean;
  error: ResponseError | FetchError | undefined;
  attempt: number;
  retry: () => void;
}

/** Maximum number of lines per answer; a full answer means that there are more. */
const pageLines = 1000;
const pollMs = 500;
/** The server buffers lines for 200 ms: the last ones may arrive after the step's end. */
const lastLookMs = 400;

const levels: Readonly<Record<LogEntry['level'], LogLevel>> = { INFO: 'info', WARNING: 'warn', ERROR: 'error' };
const lineOf = ({ number, at, level, line }: LogEntry): LogLine => ({
  key: String(number),
  number,
  at,
  level: levels[level],
  text: cleanText(line),
});

interface Reading {
  isLoading: boolean;
  error: StepLog['error'];
  attempt: number;
}
const begun: Reading = { isLoading: true, error: undefined, attempt: 0 };

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

const readOnce = async (target: StepLogTarget, store: LogStore, signal: AbortSignal): Promise<void> => {
  const { pipelineId, runId, step } = target;
  for (;;) {
    const entries = await call(pipelineStepLogs, { params: { pipelineId, step }, query: { runId, after: store.lastNumber() } }, { signal });
    store.append(entries.map(lineOf));
    if (entries.length < pageLines) return;
  }
};

const follow = async (target: StepLogTarget, store: LogStore, signal: AbortSignal, tell: (reading: Reading) => void): Promise<void> => {
  let looks = 0;
  for (let attempt = 0; attempt <= retries && !signal.aborted;) {
    try {
      await readOnce(target, store, signal);
      attempt = 0;
      looks += 1;
      tell({ isLoading: false, error: undefined, attempt });
      if (!target.isRunning && looks > 1) return;
      await pause(target.isRunning ? pollMs : lastLookMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      attempt += 1;
      tell({ isLoading: false, error: error as StepLog['error'], attempt });
      if (isStatus(error, 400, 401, 403, 404)) return;
      await pause(retryMs, signal);
    }
  }
};

/** With `undefined` there is no step to show. */
export const useStepLog = (target: StepLogTarget | undefined): StepLog => {
  const key = target && `${target.runId}/${target.step}`;
  const [log, setLog] = useState(() => ({ key, store: createLogStore() }));
  const [reading, setReading] = useState(begun);
  const [round, setRound] = useState(0);
  if (log.key !== key) {
    setLog({ key, store: createLogStore() });
    setReading(begun);
  }
  const { store } = log;
  const { pipelineId, runId, step, isRunning = false } = target ?? {};
  useEffect(() => {
    if (pipelineId === undefined || runId === undefined || step === undefined) return;
    const stop = new AbortController();
    void follow({ pipelineId, runId, step, isRunning }, store, stop.signal, setReading);
    return () => stop.abort();
  }, [pipelineId, runId, step, isRunning, store, round]);
  return { store, ...reading, retry: () => setRound(round + 1) };
};
