/** The state of the promotion page: ticks, typed values, the plan of what is taken, and the start. */
import { appPromote, type PromotionRow } from '@slipway/contract/promotion.ts';
import { isPlan, runOf } from '@slipway/contract/pipeline/plan.ts';
import { useEffect, useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { dryRun } from '#entities/plan/dry-run.ts';
import { toastRun } from '#entities/pipeline/toast-run.ts';
import { ResponseError } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { chosenParts, rowId, sentParts, type ChosenPart, type PlannedParts, type Ticks, type Values } from './promotion-choice.ts';

const settleMs = 300;
type Parts = ChosenPart['part'][];
/** Values stay in the browser until the promotion starts. */
const withoutValues = (parts: Parts): Parts =>
  parts.map((part) => ({ ...part, ...(part.entries ? { entries: part.entries.map(({ key }) => ({ key, value: '' })) } : {}) }));

/** Plans the parts after a short pause. The former plan stays until then. */
const usePlan = (app: string, parts: Parts): PlannedParts | undefined => {
  const [plan, setPlan] = useState<PlannedParts>();
  const asked = JSON.stringify(withoutValues(parts));
  useEffect(() => {
    const wanted = JSON.parse(asked) as Parts;
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      const answer = await dryRun(appPromote, { params: { app }, body: { parts: wanted } }, stop.signal);
      if (isPlan(answer)) setPlan({ plan: answer, rows: wanted.map(rowId) });
    };
    const timer = setTimeout(() => {
      if (wanted.length === 0) setPlan(undefined);
      // The start of the promotion says what is wrong.
      else
        ask().catch(() => {
          if (!stop.signal.aborted) setPlan(undefined);
        });
    }, settleMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [app, asked]);
  return plan;
};

export interface PromoteApp {
  ticks: Ticks;
  tick: (id: string, isTaken: boolean) => void;
  values: Values;
  type: (id: string, value: string) => void;
  chosen: readonly ChosenPart[];
  planned: PlannedParts | undefined;
  /** True once the user tried to promote without a value. */
  areValuesAsked: boolean;
  isBusy: boolean;
  failure: unknown;
  /** Rows that changed since they were compared. */
  changed: ReadonlySet<string>;
  /** `before` runs after the values were checked. False stops the promotion. */
  promote: (before: () => Promise<boolean>) => Promise<void>;
}

/** Rows that the server refused because they changed. */
const changedIn = (error: unknown, sent: readonly ChosenPart[]): string[] =>
  error instanceof ResponseError
    ? error.errors.flatMap(({ field, code }) => {
        const index = /^parts\.(\d+)\.mark$/.exec(field ?? '')?.[1];
        const part = code === 'ProductionChangedMeanwhile' && index !== undefined ? sent[Number(index)] : undefined;
        return part ? [rowId(part.row)] : [];
      })
    : [];

/** `isIdle`: false while a promotion runs, which changes what is compared. */
export const usePromoteApp = (app: string, rows: readonly PromotionRow[], isIdle: boolean): PromoteApp => {
  const [ticks, setTicks] = useState<Ticks>(new Map());
  const [values, setValues] = useState<Values>(new Map());
  const [areValuesAsked, setValuesAsked] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const { send, isBusy } = useWrite(appPromote);
  const chosen = chosenParts(rows, ticks, values);
  const sent = sentParts(chosen);
  const planned = usePlan(app, isIdle ? sent.map(({ part }) => part) : []);
  const promote = async (before: () => Promise<boolean>): Promise<void> => {
    setValuesAsked(true);
    setFailure(undefined);
    setChanged(new Set());
    if (sent.length === 0 || chosen.some(({ missing }) => missing.length > 0)) return;
    try {
      if (!(await before())) return;
      toastRun(`${app} is being promoted`, runOf(await send({ params: { app }, body: { parts: sent.map(({ part }) => part) } })));
      setTicks(new Map());
      setValues(new Map());
      setValuesAsked(false);
    } catch (error) {
      setFailure(error);
      setChanged(new Set(changedIn(error, sent)));
    }
    await refresh({ kind: 'promotion', app });
  };
  return {
    ticks,
    tick: (id, isTaken) => setTicks(new Map([...ticks, [id, isTaken]])),
    values,
    type: (id, value) => setValues(new Map([...values, [id, value]])),
    chosen,
    planned,
    areValuesAsked,
    isBusy,
    failure,
    changed,
    promote,
  };
};
