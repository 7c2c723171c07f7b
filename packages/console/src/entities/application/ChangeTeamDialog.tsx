/** Moves an app to another team of the user. The personal team comes first and is created if it does not exist yet. */
import { applicationUpdateV1, ApplicationUpdate, type Application } from '@slipway/contract/application.ts';
import { personalTeamId, teamCreateV1 } from '@slipway/contract/team.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { refresh } from '#entities/changes/index.ts';
import { useMe, useMyTeamList } from '#entities/team/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { teamChoices } from './team-choices.ts';

interface ChangeTeamProps {
  app: Application;
  onClose: () => void;
}

export function ChangeTeamDialog({ app, onClose }: ChangeTeamProps) {
  const { data: me } = useMe();
  const teams = useMyTeamList();
  const update = useWrite(applicationUpdateV1);
  const create = useWrite(teamCreateV1);
  const choices = teamChoices({ teams, owned: me?.ownedTeamRefs ?? [], current: app.teamId, personal: personalTeamId(me?.email ?? '') });
  const form = useApiForm({
    schema: ApplicationUpdate,
    defaultValues: { displayName: app.displayName, teamId: '' },
    labels: { teamId: 'Team' },
    onSubmit: async (body) => {
      const isNew = choices.some(({ id, isThere }) => id === body.teamId && !isThere);
      if (isNew && me) {
        await create.send({ body: { id: body.teamId, displayName: me.displayName, ownerIds: [me.id] } });
        await refresh({ kind: 'team', team: body.teamId });
      }
      const changed = await update.send({ params: { app: app.id }, body });
      toast.success(`${app.id} belongs to ${'teamName' in changed ? changed.teamName : body.teamId} now`);
      onClose();
      await refresh({ kind: 'app', app: app.id });
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      size="square"
      title={`Change the team of ${app.id}`}
      description={`It belongs to ${app.teamName}. Its members lose the right to deploy, unless they are in the new team too.`}
      label="Change team"
      submitLabel="Change team"
      busyLabel="Changing"
    >
      <ComboboxField
        form={form}
        name="teamId"
        searchLabel="Search your teams"
        placeholder="Choose a team"
        emptyText={choices.length === 0 ? 'You own no other team. Ask an owner of the other team to make you one.' : 'No team fits'}
        options={choices.map(({ id, label, note }) => ({ value: id, label, note }))}
        hint="Teams that you own."
      />
    </FormDialog>
  );
}
