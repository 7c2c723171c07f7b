/** Loads the service in the URL for its subpages, and checks whether the user may see its settings. */
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import { useParams } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';

export interface ServicePlace {
  /** Undefined if the URL names no existing environment. */
  place: (ServiceRef & { env: Environment }) | undefined;
  query: QueryResult<typeof serviceView>;
  application: Application | undefined;
  /** Why the user may not see or change the settings, and whom to ask. Undefined if allowed or not yet known. */
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
