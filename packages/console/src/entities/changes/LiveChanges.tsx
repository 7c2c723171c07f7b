/** Applies live changes to the cache: each hint revalidates the affected keys, in batches. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { useEffect } from 'react';
import { useSWRConfig } from 'swr';
import { isConcerned } from './refresh.ts';
import { startLive } from '#kit/api/live.ts';

/** Milliseconds to collect hints: a rollout sends many, which revalidate together. */
const batchMs = 120;

export function LiveChanges() {
  const { mutate } = useSWRConfig();
  useEffect(() => {
    let waiting: ChangeHint[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      const hints = waiting;
      waiting = [];
      timer = undefined;
      void mutate((key) => hints.some((hint) => isConcerned(key, hint)));
    };
    const stop = startLive({
      onHint: (hint) => {
        waiting.push(hint);
        timer ??= setTimeout(flush, batchMs);
      },
      onMissed: () => void mutate(() => true),
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [mutate]);
  return null;
}
