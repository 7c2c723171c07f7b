/** Context of a members-only page: app and environment of the URL, and whether the user is a member of the team. */
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { useParams } from 'react-router';
import { useMe } from './me.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { useTeamOwners } from './use-team-owners.ts';

export interface AppPlace {
  app: string;
  /** Undefined if the URL names no valid environment. */
  env: Environment | undefined;
  query: QueryResult<typeof applicationView>;
  application: Application | undefined;
  team: string;
  /** Undefined until both are loaded. Administrators see names like members, but no values. */
  isMember: boolean | undefined;
  isAdministrator: boolean;
  /** Why the user may not create anything in the app. */
  createReason: string | undefined;
  /** Text on whom to ask for access. */
  noRight: string;
}

export const useAppPlace = (): AppPlace => {
  const { app = '', env: segment } = useParams();
  const query = useQuery(applicationView, app !== '' && { params: { app } });
  const { data: application } = query;
  const { data: me } = useMe();
  const owners = useTeamOwners(application?.teamId);
  const team = application?.teamName ?? '';
  return {
    app,
    env: segment === undefined ? 'development' : environmentOf(segment),
    query,
    application,
    team,
    isMember: me && application && (me.isAdministrator || me.teamRefs.includes(application.teamId)),
    isAdministrator: me?.isAdministrator ?? false,
    createReason: reasonOf(application?.can, 'createService', { team }),
    noRight: `You are not in ${team}.${owners ? ` Ask ${owners} to add you.` : ''}`,
  };
};
