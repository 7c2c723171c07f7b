/** The form of a channel, new or existing. The address of an existing one is not shown again, because a hook's URL is a secret. */
import {
  channelAddressIssue,
  channelKindLabels,
  channelKinds,
  notificationChannelCreate,
  NotificationChannelCreate,
  notificationChannelUpdate,
  type ChannelKind,
  type NotificationChannel,
} from '@slipway/contract/notification/notification.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { SelectField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';

interface Values {
  name: string;
  kind: ChannelKind;
  /** Empty keeps the current one. */
  address: string;
}
export interface MadeChannel {
  name: string;
  secret: string;
}
const labels = { name: 'Name', kind: 'Kind', address: 'Address' };
const hints: Readonly<Record<ChannelKind, string>> = {
  EMAIL: 'A mailbox or a list of the team.',
  WEBHOOK: 'Gets signed JSON. Loopback, link-local and private addresses are refused.',
  SLACK: 'The URL of an incoming webhook of Slack.',
  TEAMS: 'The URL of a Teams workflow that posts to a channel.',
};

const { shape } = NotificationChannelCreate;
const schema = (isNew: boolean): z.ZodMiniType<Values, Values> =>
  z
    .object({
      name: shape.name,
      kind: shape.kind,
      address: isNew ? shape.address : z.string().check(z.trim(), z.maxLength(2000, { error: 'ExceedsMaximumLength' })),
    })
    .check((payload) => {
      const { kind, address } = payload.value;
      const issue = address === '' ? undefined : channelAddressIssue(kind, address);
      if (issue) payload.issues.push({ code: 'custom', message: issue, path: ['address'], input: address });
    });

interface ChannelDialogProps {
  team: string;
  /** Undefined for a new channel. */
  channel?: NotificationChannel;
  onClose: () => void;
  onMade: (made: MadeChannel) => void;
}

export function ChannelDialog({ team, channel, onClose, onMade }: ChannelDialogProps) {
  const create = useWrite(notificationChannelCreate);
  const update = useWrite(notificationChannelUpdate);
  const form = useApiForm({
    schema: schema(!channel),
    defaultValues: { name: channel?.name ?? '', kind: channel?.kind ?? 'EMAIL', address: '' } satisfies Values,
    labels,
    onSubmit: async ({ name, kind, address }) => {
      if (channel) {
        await update.send({ params: { team, channel: channel.id }, body: { name, ...(address === '' ? {} : { address }) } });
        toast.success(`${name} is saved`);
      } else {
        const { secret } = await create.send({ params: { team }, body: { name, kind, address } });
        if (secret !== null) onMade({ name, secret });
      }
      onClose();
      await refresh({ kind: 'notificationChannel', team });
    },
  });
  const kind = useWatch({ control: form.control, name: 'kind' });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={channel ? `Edit ${channel.name}` : 'Add a channel'}
      submitLabel={channel ? 'Save channel' : 'Add channel'}
      busyLabel={channel ? 'Saving' : 'Adding'}
    >
      {!channel && (
        <SelectField form={form} name="kind" options={channelKinds.map((value) => ({ value, label: channelKindLabels[value] }))} />
      )}
      <TextField form={form} name="name" hint="As it is shown here: Harbor chat." />
      <TextField
        form={form}
        name="address"
        spellCheck={false}
        autoCapitalize="off"
        placeholder={channel ? `${channel.address} – leave it empty to keep it` : kind === 'EMAIL' ? 'team@example.com' : 'https://'}
        hint={hints[kind]}
      />
    </FormDialog>
  );
}
