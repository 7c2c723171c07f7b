/** Changes a team's name, members and roles. */
import { identityList } from '@slipway/contract/identity.ts';
import { teamUpdate, TeamUpdate, type Team } from '@slipway/contract/team.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { Person } from '#entities/team/index.ts';
import { MembersField } from './MembersField.tsx';

/** The form always has a list of members, possibly empty. */
const schema = z.extend(TeamUpdate, { memberIds: z.array(z.string()) });

interface EditMembersProps {
  team: Team;
  onClose: () => void;
}

export function EditMembersDialog({ team, onClose }: EditMembersProps) {
  const { data } = useQuery(identityList, { query: { teamId: team.id, size: 100 } }, { pollMs: 0 });
  return data ? <EditMembers team={team} people={data.content} onClose={onClose} /> : null;
}

function EditMembers({ team, people, onClose }: { team: Team; people: readonly Person[]; onClose: () => void }) {
  const update = useWrite(teamUpdate);
  const form = useApiForm({
    schema,
    defaultValues: { displayName: team.displayName, ownerIds: team.ownerIds, memberIds: team.memberIds },
    labels: { displayName: 'Team name', ownerIds: 'Owners', memberIds: 'Members' },
    onSubmit: async (body) => {
      await update.send({ params: { team: team.id }, body });
      toast.success(`${team.displayName} is being changed`);
      onClose();
      await refresh({ kind: 'team', team: team.id });
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Edit ${team.displayName}`}
      description="Owners decide about members and apps. Members deploy."
      label="Edit members"
      submitLabel="Save members"
      busyLabel="Saving"
    >
      <TextField form={form} name="displayName" />
      <MembersField form={form} people={people} />
    </FormDialog>
  );
}
