/** Whether long lines wrap: one choice for all logs of this browser; they do unless told otherwise. */
import { storedValue } from '#kit/state/stored.ts';
import { useStore } from '#kit/state/store.ts';

const stored = storedValue<boolean | undefined>('log-wrap', (raw) => (typeof raw === 'boolean' ? raw : undefined));

export const useLogWrap = (): [isWrapped: boolean, set: (isWrapped: boolean) => void] => {
  const chosen = useStore(stored);
  return [chosen ?? true, stored.set];
};
