/** Whether an app's name is still free, said while one types. The server decides again when the form is sent. */
import { applicationView } from '@slipway/contract/application.ts';
import { AppName } from '@slipway/contract/kernel/fields.ts';
import { useEffect, useState } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';

const restMs = 300;

/** Undefined while the name is no name yet, or while nobody knows. */
export const useNameCheck = (name: string): 'free' | 'taken' | undefined => {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(name), restMs);
    return () => clearTimeout(timer);
  }, [name]);
  const isReady = asked === name && AppName.safeParse(asked).success;
  const { data, error } = useQuery(applicationView, isReady && { params: { app: asked } }, { pollMs: 0 });
  if (!isReady) return undefined;
  // One that was just discarded is still in the cache when the answer is 404 already.
  if (isStatus(error, 404)) return 'free';
  return data ? 'taken' : undefined;
};
