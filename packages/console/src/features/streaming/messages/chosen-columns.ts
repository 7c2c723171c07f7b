/** Fields of a topic's values shown as columns: the first few by default. The browser stores the choice per user and topic. */
import { useState } from 'react';
import { useStore } from '#kit/state/store.ts';
import { storedValue } from '#kit/state/stored.ts';

const usual = 3;
const isText = (value: unknown): value is string => typeof value === 'string';

export const useChosenColumns = (topicId: string, paths: readonly string[]) => {
  const [store] = useState(() =>
    storedValue<readonly string[] | undefined>(`slipway.columns.${topicId}`, (raw) =>
      Array.isArray(raw) ? raw.filter(isText) : undefined,
    ),
  );
  const chosen = useStore(store);
  return { columns: chosen ?? paths.slice(0, usual), choose: (next: readonly string[]) => store.set(next) };
};
