/** The service that the address names, for pages of their own below it, and who may not see its settings. */
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import { useParams } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';

export interface ServicePlace {
  /** Undefined where the address names no environment that exists. */
  place: (ServiceRef & { env: Environment }) | undefined;
  query: QueryResult<typeof serviceView>;
  application: Application | undefined;
  /** Why the reader may not see or change its settings, with whom to ask; undefined where they may, or it is not known yet. */
  noRight: string | undefined;
}

export const useService = (): ServicePlace => {
  const { app = '', env: segment = '', service = '' } = useParams();
  const env = environmentOf(segment);
  const place = env && { app, env, service };
  const query = useQuery(serviceView, place && { params: place });
  const { data: application } = useQuery(applicationView, { params: { app } });
  const owners = useTeamOwners(application?.teamId);
  const team = application?.teamName ?? '';
  const isStranger = reasonOf(query.data?.can, 'readLogs') !== undefined;
  return {
    place,
    query,
    application,
    noRight: isStranger && application ? `You are not in ${team}.${owners ? ` Ask ${owners} to add you.` : ''}` : undefined,
  };
};
