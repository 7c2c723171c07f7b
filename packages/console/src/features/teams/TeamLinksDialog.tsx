/** Links a team to its team at the source-code host and its group in the company directory. An empty field removes the link. */
import { teamUpdate, type Team } from '@slipway/contract/team.ts';
import * as z from 'zod/mini';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';

const text = z.string().check(z.trim(), z.maxLength(100, { error: 'ExceedsMaximumLength' }));

export function TeamLinksDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const { id, displayName, ownerIds, githubTeamName, githubTeamId, azureGroupName, azureGroupId } = team;
  const form = useRunForm({
    route: teamUpdate,
    schema: z.object({ githubTeamName: text, azureGroupName: text, azureGroupId: text }),
    defaultValues: {
      githubTeamName: githubTeamName ?? githubTeamId ?? '',
      azureGroupName: azureGroupName ?? '',
      azureGroupId: azureGroupId ?? '',
    },
    labels: { githubTeamName: 'GitHub team', azureGroupName: 'Directory group', azureGroupId: 'Object id of the group' },
    inputOf: (wanted) => ({
      params: { team: id },
      body: {
        displayName,
        ownerIds,
        // Shown only because there is no name.
        githubTeamName: githubTeamName === null && wanted.githubTeamName === githubTeamId ? null : wanted.githubTeamName || null,
        // Without a name, the page shows the id that programs set.
        ...(wanted.githubTeamName === '' && { githubTeamId: null }),
        azureGroupName: wanted.azureGroupName || null,
        azureGroupId: wanted.azureGroupId || null,
      },
    }),
    doneOf: () => `${displayName} is being changed`,
    onDone: onClose,
    hints: [{ kind: 'team', team: id }],
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Link groups of ${displayName}`}
      description="Shown on the page of the team. The members stay as they are here."
      submitLabel="Save links"
      busyLabel="Saving"
    >
      <TextField form={form} name="githubTeamName" placeholder="organization/team" hint="organization/team leads to the team on GitHub." />
      <TextField form={form} name="azureGroupName" />
      <TextField form={form} name="azureGroupId" hint="Leads to the group in Microsoft Entra ID." />
    </FormDialog>
  );
}
