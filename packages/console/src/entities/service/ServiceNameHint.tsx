/** The rules of a service's name, and whether this one is free in the chosen environment. */
import { ServiceName } from '@slipway/contract/kernel/fields.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useEffect, useState } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import type { ServiceRef } from '#entities/paths.ts';

const restMs = 300;

const useServiceNameCheck = ({ app, env, service }: ServiceRef): 'free' | 'taken' | undefined => {
  const wanted = `${env}/${service}`;
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), restMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const isReady = asked === wanted && ServiceName.safeParse(service).success && serviceNameRule(app, service) === true;
  const { data, error } = useQuery(serviceView, isReady && { params: { app, env, service } }, { pollMs: 0 });
  if (!isReady) return undefined;
  // One that was just discarded is still in the cache when the answer is 404 already.
  if (isStatus(error, 404)) return 'free';
  return data ? 'taken' : undefined;
};

export function ServiceNameHint({ place }: { place: ServiceRef }) {
  const check = useServiceNameCheck(place);
  return (
    <>
      Starts with {place.app}.{' '}
      <span role="status">
        {check === 'free' && (
          <Status tone="ok" isTinted>
            {place.service} is free
          </Status>
        )}
        {check === 'taken' && <Status tone="warn">{place.service} is taken</Status>}
      </span>
    </>
  );
}
