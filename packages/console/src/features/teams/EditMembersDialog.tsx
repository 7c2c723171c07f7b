/** Changes a team's name, members and roles. */
import { identityList } from '@slipway/contract/identity.ts';
import { TeamUpdate, teamUpdate, type Team } from '@slipway/contract/team.ts';
import * as z from 'zod/mini';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { useQuery } from '#kit/api/query.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { SwitchField } from '#kit/form/ChoiceFields.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { memberIds, MembersField, teamLabels } from './MembersField.tsx';

export function EditMembersDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const { id, displayName, needsProductionApproval } = team;
  const { data: people } = useQuery(identityList, { query: { teamId: id, size: 100 } }, { pollMs: 0 });
  const form = useRunForm({
    route: teamUpdate,
    schema: z.extend(TeamUpdate, { memberIds, needsProductionApproval: z.boolean() }),
    defaultValues: { displayName, ownerIds: team.ownerIds, memberIds: team.memberIds, needsProductionApproval },
    labels: teamLabels,
    inputOf: (body) => ({ params: { team: id }, body }),
    doneOf: () => `${displayName} is being changed`,
    onDone: onClose,
    hints: [{ kind: 'team', team: id }],
  });
  if (!people) return null;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Edit ${displayName}`}
      description="Owners decide about members and apps. Members deploy."
      label="Edit members"
      submitLabel="Save members"
      busyLabel="Saving"
    >
      <TextField form={form} name="displayName" />
      <MembersField form={form} people={people.content} />
      <SwitchField
        form={form}
        name="needsProductionApproval"
        onLabel="A second person approves changes of services in production"
        hint="Rollbacks need no approval."
      />
    </FormDialog>
  );
}
