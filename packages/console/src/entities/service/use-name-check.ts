/** Checks while typing whether an app's name is free. The server checks again when the form is sent. */
import { applicationView } from '@slipway/contract/application.ts';
import { AppName } from '@slipway/contract/kernel/fields.ts';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { useIsRested } from '#kit/form/Availability.tsx';

/** Returns undefined while the name is invalid or the answer is unknown. */
export const useNameCheck = (name: string): 'free' | 'taken' | undefined => {
  const isReady = useIsRested(name) && AppName.safeParse(name).success;
  const { data, error } = useQuery(applicationView, isReady && { params: { app: name } }, { pollMs: 0 });
  if (!isReady) return undefined;
  // A discarded app is still in the cache after the answer is 404.
  if (isStatus(error, 404)) return 'free';
  return data ? 'taken' : undefined;
};
