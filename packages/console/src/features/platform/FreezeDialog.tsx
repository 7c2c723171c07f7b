/** The form of a freeze window, new or existing. */
import { FreezeSettings, freezeWindowCreate, freezeWindowUpdate, type FreezeWindow } from '@slipway/contract/freeze.ts';
import * as z from 'zod/mini';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useWrite } from '#kit/api/write.ts';
import { SwitchField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { instantOf, localText } from '#kit/form/local-time.ts';
import { TextareaField, TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';

const { name, reason, ownersMayOverride } = FreezeSettings.shape;
const time = z.string().check(z.refine((text) => instantOf(text) !== null, { error: 'Required' }));
const schema = z
  .object({ name, reason, startsAt: time, endsAt: time, teams: z.string(), apps: z.string(), ownersMayOverride })
  .check(z.refine(({ startsAt, endsAt }) => startsAt < endsAt, { error: 'FreezeEndsTooEarly', path: ['endsAt'] }));
const labels = {
  name: 'Name',
  reason: 'Reason',
  startsAt: 'From',
  endsAt: 'Until',
  teams: 'Teams',
  apps: 'Apps',
  ownersMayOverride: 'Override',
};
const idsOf = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

interface FreezeDialogProps {
  /** Undefined for a new one. */
  freeze?: FreezeWindow;
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

export function FreezeDialog({ freeze, onDone, onClose }: FreezeDialogProps) {
  const create = useWrite(freezeWindowCreate);
  const update = useWrite(freezeWindowUpdate);
  const { timeZone: ownZone } = Intl.DateTimeFormat().resolvedOptions();
  const form = useApiForm({
    schema,
    defaultValues: {
      name: freeze?.name ?? '',
      reason: freeze?.reason ?? '',
      startsAt: localText(freeze?.startsAt ?? null),
      endsAt: localText(freeze?.endsAt ?? null),
      teams: freeze?.teams.join(', ') ?? '',
      apps: freeze?.apps.join(', ') ?? '',
      ownersMayOverride: freeze?.ownersMayOverride ?? false,
    },
    labels,
    onSubmit: async ({ startsAt, endsAt, teams, apps, ...values }) => {
      const body = {
        ...values,
        startsAt: instantOf(startsAt) ?? '',
        endsAt: instantOf(endsAt) ?? '',
        timeZone: freeze?.timeZone ?? ownZone,
        teams: idsOf(teams),
        apps: idsOf(apps),
      };
      if (freeze) await update.send({ params: { freezeWindow: freeze.id }, body: { ...body, revision: freeze.revision } });
      else await create.send({ body });
      toast.success(`${values.name} saved`);
      await onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={freeze ? 'Edit freeze window' : 'New freeze window'}
      description="Services in production don’t change in this time. Rollbacks and deactivations stay possible."
      submitLabel="Save freeze window"
      busyLabel="Saving"
    >
      <TextField form={form} name="name" placeholder="Peak week" />
      <TextareaField form={form} name="reason" rows={2} hint="Everybody whose change is refused sees it." />
      <div className="pair">
        <TextField form={form} name="startsAt" type="datetime-local" />
        <TextField form={form} name="endsAt" type="datetime-local" hint={`Times are in ${ownZone}.`} />
      </div>
      <div className="pair">
        <TextField form={form} name="teams" labelNote="optional" placeholder="All" hint="Ids, separated by commas." />
        <TextField form={form} name="apps" labelNote="optional" placeholder="All" hint="Ids, separated by commas." />
      </div>
      <SwitchField form={form} name="ownersMayOverride" onLabel="Owners of a team may override it with a reason" />
    </FormDialog>
  );
}
