/** The groups of a team in other systems, and their pages there. */
import type { Team } from '@slipway/contract/team.ts';

export interface LinkedGroup {
  name: string;
  /** Undefined if the name or id does not lead to a page. */
  href?: string;
}

/** `organization/team` is the address of a team on GitHub. */
export const githubTeam = ({ githubTeamName, githubTeamId }: Pick<Team, 'githubTeamName' | 'githubTeamId'>): LinkedGroup | undefined => {
  const name = githubTeamName ?? githubTeamId;
  if (name === null) return undefined;
  const [, organization, team] = /^([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+)$/.exec(name) ?? [];
  return team === undefined ? { name } : { name, href: `https://github.com/orgs/${organization}/teams/${team}` };
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const groupPage = 'https://entra.microsoft.com/#view/Microsoft_AAD_IAM/GroupDetailsMenuBlade/~/Overview/groupId/';
/** The object id of a group leads to its page in Microsoft Entra ID. */
export const directoryGroup = ({
  azureGroupName,
  azureGroupId,
}: Pick<Team, 'azureGroupName' | 'azureGroupId'>): LinkedGroup | undefined => {
  const name = azureGroupName ?? azureGroupId;
  if (name === null) return undefined;
  return azureGroupId !== null && uuid.test(azureGroupId) ? { name, href: groupPage + azureGroupId } : { name };
};
