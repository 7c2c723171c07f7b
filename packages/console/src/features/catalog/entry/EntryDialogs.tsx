/** Dialogs of an entry: owners, labels, data issue, decommissioning, and putting it back. */
import { catalogIssueCreate } from '@slipway/contract/catalog/application.ts';
import { catalogLabelList } from '@slipway/contract/catalog/directory.ts';
import { RequestComment } from '@slipway/contract/catalog/entry.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import * as z from 'zod/mini';
import { useMe } from '#entities/team/me.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextareaField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryCall, type Entry } from '#features/catalog/entry-kinds.ts';
import { changeOf, valuesOf } from '#features/catalog/form/entry-values.ts';
import { toastChange } from '#features/catalog/form/toast-change.ts';
import { PeopleField } from '#features/catalog/form/PeopleField.tsx';

interface DialogProps {
  entry: Entry;
  onClose: () => void;
  reload: () => void;
}

const ids = z.array(z.string());
const ownersSchema = z.object({
  owners: ids.check(z.minLength(1, { error: 'Required' })),
  requestComment: z.union([z.literal(''), RequestComment]),
});

/** Changes the owners. Somebody who is not an owner asks to become one. */
export function ClaimDialog({ entry, onClose, reload }: DialogProps) {
  const { data: me } = useMe();
  const known = entry.owners.map(({ id }) => id);
  const isOwner = me !== undefined && known.includes(me.id);
  const form = useApiForm({
    schema: ownersSchema,
    defaultValues: { owners: isOwner || !me ? known : [...known, me.id], requestComment: '' },
    labels: { owners: 'Owners', requestComment: 'Reason' },
    onSubmit: async ({ owners, requestComment }) => {
      const before = valuesOf(entry);
      const body = changeOf(entry.kind, before, { ...before, owners, requestComment });
      const answer = await call(entryKindOf[entry.kind].routes.update, entryCall(entry, { body, version: entry.version }));
      toastChange(entry.name, answer);
      onClose();
      reload();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={entry.canEdit ? `Change the owners of ${entry.name}` : `Ask to own ${entry.name}`}
      description="An owner may add owners at once. All other changes of owners wait for an approval."
      submitLabel={entry.canEdit ? 'Save owners' : 'Send the request'}
      busyLabel="Sending"
    >
      <PeopleField form={form} name="owners" people={[...entry.owners, ...(me ? [{ ...me, active: true }] : [])]} />
      <TextareaField form={form} name="requestComment" labelNote="optional" hint="At least 10 characters. The approvers see it." />
    </FormDialog>
  );
}

export function LabelsDialog({ entry, onClose, reload }: DialogProps) {
  const { data: labels } = useQuery(catalogLabelList, {}, { pollMs: 0 });
  const has = (id: string): boolean => entry.labels.some((label) => label.id === id);
  const form = useApiForm({
    schema: z.object({ labels: ids }),
    defaultValues: { labels: entry.labels.map(({ id }) => id) },
    labels: { labels: 'Labels' },
    onSubmit: async (body) => {
      await call(entryKindOf[entry.kind].routes.patch, entryCall(entry, { body }));
      toast.success(`The labels of ${entry.name} were changed`);
      onClose();
      reload();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title={`Labels of ${entry.name}`} submitLabel="Save labels" busyLabel="Saving">
      <CheckboxesField
        form={form}
        name="labels"
        options={(labels ?? [])
          .filter(({ id, archived }) => !archived || has(id))
          .map(({ id, name, description }) => ({ value: id, label: name, note: description }))}
      />
    </FormDialog>
  );
}

interface ReasonProps extends DialogProps {
  title: string;
  description: string;
  /** Label and hint of the text. */
  label: string;
  hint: string;
  submitLabel: string;
  busyLabel: string;
  /** Sends the text. Returns what the toast says. */
  send: (reason: string) => Promise<string>;
}

/** A dialog with one text of at least ten characters. */
function ReasonDialog({ label, hint, send, onClose, reload, entry: _entry, ...dialog }: ReasonProps) {
  const form = useApiForm({
    schema: z.object({ reason: RequestComment }),
    defaultValues: { reason: '' },
    labels: { reason: label },
    onSubmit: async ({ reason }) => {
      toast.success(await send(reason));
      onClose();
      reload();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} {...dialog}>
      <TextareaField form={form} name="reason" hint={hint} />
    </FormDialog>
  );
}

export function IssueDialog(props: DialogProps) {
  const { id, name } = props.entry;
  return (
    <ReasonDialog
      {...props}
      title={`Report an issue of ${name}`}
      description="The owners get a notice. They answer that it is corrected, or that it is not an issue."
      label="What is wrong"
      hint="Name the field and what it should say. At least 10 characters."
      submitLabel="Send the report"
      busyLabel="Sending"
      send={async (comments) => {
        const { requestId } = await call(catalogIssueCreate, { params: { appId: id }, body: { comments } });
        return `${requestId} was sent to the owners`;
      }}
    />
  );
}

export function PutBackDialog(props: DialogProps) {
  const { kind, name } = props.entry;
  return (
    <ReasonDialog
      {...props}
      title={`Put ${name} back?`}
      description="It becomes active again with its id, owners, labels and link."
      label="Reason"
      hint="At least 10 characters. Kept in the history."
      submitLabel="Put back"
      busyLabel="Putting back"
      send={async (reason) => {
        await call(entryKindOf[kind].routes.patch, entryCall(props.entry, { body: { status: 'ACTIVE', reason } }));
        return `${name} is active again`;
      }}
    />
  );
}
