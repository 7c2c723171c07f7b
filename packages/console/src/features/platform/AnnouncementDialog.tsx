/** The form of an announcement, new or existing. */
import { Announcement, isLink } from '@slipway/contract/installation.ts';
import * as z from 'zod/mini';
import { SelectField, SwitchField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextareaField, TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';

const { header, message, type, enabled } = Announcement.shape;
const optional = z.string().check(z.trim());
const schema = z
  .object({ header, message, type, enabled, isAgain: z.boolean(), linkLabel: optional, linkUrl: optional })
  .check((payload) => {
    const { linkLabel, linkUrl } = payload.value;
    const refuse = (path: string, error: string) =>
      payload.issues.push({ code: 'custom', message: error, path: [path], input: payload.value });
    if (linkLabel !== '' && linkUrl === '') refuse('linkUrl', 'Required');
    if (linkUrl !== '' && linkLabel === '') refuse('linkLabel', 'Required');
    if (linkUrl !== '' && !isLink(linkUrl)) refuse('linkUrl', 'LinkInvalid');
  });
const labels = {
  header: 'Title',
  message: 'Message',
  type: 'Type',
  enabled: 'Visibility',
  isAgain: 'Closed before',
  linkLabel: 'Button',
  linkUrl: 'Address of the button',
};
const types = [
  { value: 'info', label: 'Information' },
  { value: 'warning', label: 'Warning' },
  { value: 'error', label: 'Problem' },
];

interface AnnouncementDialogProps {
  /** Undefined for a new one. */
  announcement?: Announcement;
  onSave: (announcement: Announcement) => Promise<void>;
  onClose: () => void;
}

export function AnnouncementDialog({ announcement, onSave, onClose }: AnnouncementDialogProps) {
  const [link] = announcement?.ctas ?? [];
  const form = useApiForm({
    schema,
    defaultValues: {
      header: announcement?.header ?? '',
      message: announcement?.message ?? '',
      type: announcement?.type ?? 'info',
      enabled: announcement?.enabled ?? true,
      isAgain: false,
      linkLabel: link?.label ?? '',
      linkUrl: link?.url ?? '',
    },
    labels,
    onSubmit: async ({ isAgain, linkLabel, linkUrl, ...values }) => {
      const kept = isAgain ? undefined : announcement?.id;
      await onSave({
        ...values,
        // Browsers remember closed announcements by id.
        id: kept ?? `announcement-${Date.now().toString(36)}`,
        icon: announcement?.icon ?? 'megaphone',
        ctas: linkUrl === '' ? [] : [{ label: linkLabel, url: linkUrl }, ...(announcement?.ctas.slice(1) ?? [])],
      });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={announcement ? 'Edit announcement' : 'New announcement'}
      submitLabel="Save announcement"
      busyLabel="Saving"
    >
      <TextField form={form} name="header" />
      <TextareaField form={form} name="message" />
      <SelectField form={form} name="type" options={types} />
      <div className="pair">
        <TextField form={form} name="linkLabel" labelNote="optional" placeholder="Open the survey" />
        <TextField form={form} name="linkUrl" labelNote="optional" inputMode="url" placeholder="https://" />
      </div>
      <SwitchField form={form} name="enabled" onLabel="Show it on every page" />
      {announcement && <SwitchField form={form} name="isAgain" onLabel="Show it again to users who closed it" />}
    </FormDialog>
  );
}
