/** Which fields of a topic's values are columns: the first few, until somebody chooses others. Kept per person and topic, in the browser. */
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
