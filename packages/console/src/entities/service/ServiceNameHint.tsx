/** Shows the rules of a service's name and whether the name is free in the chosen environment. */
import { ServiceName } from '@slipway/contract/kernel/fields.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { Availability, useIsRested } from '#kit/form/Availability.tsx';
import type { ServiceRef } from '#entities/paths.ts';

const useServiceNameCheck = ({ app, env, service }: ServiceRef): 'free' | 'taken' | undefined => {
  const isRested = useIsRested(`${env}/${service}`);
  const isReady = isRested && ServiceName.safeParse(service).success && serviceNameRule(app, service) === true;
  const { data, error } = useQuery(serviceView, isReady && { params: { app, env, service } }, { pollMs: 0 });
  if (!isReady) return undefined;
  // A discarded service is still in the cache after the answer is 404.
  if (isStatus(error, 404)) return 'free';
  return data ? 'taken' : undefined;
};

export function ServiceNameHint({ place }: { place: ServiceRef }) {
  const check = useServiceNameCheck(place);
  return (
    <>
      Starts with {place.app}. <Availability name={place.service} check={check} />
    </>
  );
}
