/** Shown in place of settings that only team members may see. */
import { applicationView } from '@slipway/contract/application.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { useQuery } from '#kit/api/query.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import { useSettings } from '#features/services/settings/settings-context.ts';

export function NoRight({ what }: { what: string }) {
  const { place } = useSettings();
  const { data: app } = useQuery(applicationView, { params: { app: place.app } });
  const owners = useTeamOwners(app?.teamId);
  return (
    <EmptyState kind="no-right" title={`${what} are for members of the team`} isCompact>
      {app && `You are not in ${app.teamName}.${owners ? ` Ask ${owners} to add you.` : ''}`}
    </EmptyState>
  );
}
