/** Sends one write at a time with an idempotency key, and tracks its state for the button. */
import type { Call, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { useRef, useState } from 'react';
import { call } from './call.ts';
import { FetchError } from './errors.ts';
import { createKeyKeeper } from './idempotency.ts';

export interface Write<R extends RouteShape> {
  /** Throws what `call` throws. A call during another one returns that one's answer, so a double click writes once. */
  send: (input: Call<R>) => Promise<ResponseOf<R>>;
  isBusy: boolean;
}

export const useWrite = <R extends RouteShape>(route: R): Write<R> => {
  const [isBusy, setBusy] = useState(false);
  const running = useRef<Promise<ResponseOf<R>>>(undefined);
  const keys = useRef<ReturnType<typeof createKeyKeeper>>(undefined);
  const run = async (input: Call<R>): Promise<ResponseOf<R>> => {
    keys.current ??= createKeyKeeper();
    setBusy(true);
    try {
      const answer = await call(route, input, { idempotencyKey: keys.current.keyFor(input) });
      keys.current.settle();
      return answer;
    } catch (error) {
      if (!(error instanceof FetchError)) keys.current.settle();
      throw error;
    } finally {
      running.current = undefined;
      setBusy(false);
    }
  };
  return {
    isBusy,
    send: (input) => (running.current ??= run(input)),
  };
};
