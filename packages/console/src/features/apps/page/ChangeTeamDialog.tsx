/** Hands an app to another team. One must be a member of that team too, so its list is one's own teams. */
import { applicationUpdate, ApplicationUpdate, type Application } from '@slipway/contract/application.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { useMyTeamList } from '#entities/team/me.ts';
import { useWrite } from '#kit/api/write.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';

interface ChangeTeamProps {
  app: Application;
  onClose: () => void;
}

export function ChangeTeamDialog({ app, onClose }: ChangeTeamProps) {
  const teams = useMyTeamList();
  const update = useWrite(applicationUpdate);
  const form = useApiForm({
    schema: ApplicationUpdate,
    defaultValues: { displayName: app.displayName, teamId: '' },
    labels: { teamId: 'New team' },
    onSubmit: async (body) => {
      const changed = await update.send({ params: { app: app.id }, body });
      toast.success(`${app.id} belongs to ${changed.teamName} now`);
      onClose();
      await refresh({ kind: 'app', app: app.id });
    },
  });
  const others = teams.filter((team) => team.id !== app.teamId && team.state === 'ACTIVE');
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Change the team of ${app.id}`}
      description={`It belongs to ${app.teamName}. Its members lose the right to deploy, unless they are in the new team too.`}
      label="Change team"
      submitLabel="Change team"
      busyLabel="Changing"
      keepLabel={`Keep ${app.teamName}`}
    >
      <ComboboxField
        form={form}
        name="teamId"
        searchLabel="Search your teams"
        placeholder="Choose a team"
        emptyText={others.length === 0 ? 'You are in no other team. Ask an owner of the other team to add you.' : 'No team fits'}
        options={others.map((team) => ({ value: team.id, label: team.displayName, note: team.id }))}
        hint="Teams that you belong to."
      />
    </FormDialog>
  );
}
