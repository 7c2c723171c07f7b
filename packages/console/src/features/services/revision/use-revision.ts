/** Data that all pages of a revision share: the revision, its service, and the team that owns the app. */
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { useParams } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import type { LogRef } from '#features/services/logs/log-stream.ts';

export interface RevisionOfPage {
  /** Undefined if the URL names no environment. */
  place: (LogRef & { env: Environment }) | undefined;
  query: QueryResult<typeof revisionView>;
  revision: Revision | undefined;
  service: Service | undefined;
  app: Application | undefined;
  /** Whom to ask if the user may not read the log. */
  noRight: string | undefined;
}

const pollMs = 5000;

export const useRevision = (): RevisionOfPage => {
  const { app = '', env: segment = '', service: name = '', revision = '' } = useParams();
  const env = environmentOf(segment);
  const query = useQuery(revisionView, env && { params: { app, env, service: name, revision } }, { pollMs });
  const service = useQuery(serviceView, env && { params: { app, env, service: name } }, { pollMs });
  const { data: owner } = useQuery(applicationView, { params: { app } });
  const owners = useTeamOwners(owner?.teamId);
  return {
    place: env && { app, env, service: name, revision },
    query,
    revision: query.data,
    service: service.data,
    app: owner,
    noRight: owner && `You are not in ${owner.teamName}.${owners ? ` Ask ${owners} to add you.` : ''}`,
  };
};
