/** Whether an app's name is still free, said while one types. The server decides again when the form is sent. */
import { applicationView } from '@slipway/contract/application.ts';
import { AppName } from '@slipway/contract/kernel/fields.ts';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { useIsRested } from '#kit/form/Availability.tsx';

/** Undefined while the name is no name yet, or while nobody knows. */
export const useNameCheck = (name: string): 'free' | 'taken' | undefined => {
  const isReady = useIsRested(name) && AppName.safeParse(name).success;
  const { data, error } = useQuery(applicationView, isReady && { params: { app: name } }, { pollMs: 0 });
  if (!isReady) return undefined;
  // One that was just discarded is still in the cache when the answer is 404 already.
  if (isStatus(error, 404)) return 'free';
  return data ? 'taken' : undefined;
};
