/** Changes the fields of an entry. Some apply at once, others need an approval. */
import { gatedFields } from '@slipway/contract/catalog/rules.ts';
import { call } from '#kit/api/call.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { CatalogApplication } from '@slipway/contract/catalog/application.ts';
import type { CatalogPlatform } from '@slipway/contract/catalog/platform.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryCall, type Entry } from '#features/catalog/entry-kinds.ts';
import { EntryFields } from './EntryFields.tsx';
import { toastChange } from './toast-change.ts';
import { changeOf, entryLabels, entrySchema, serverFields, valuesOf, type EntryValues } from './entry-values.ts';

export default function EditEntryDialog({ entry, onClose, reload }: { entry: Entry; onClose: () => void; reload: () => void }) {
  const { kind, name, status } = entry;
  const before = valuesOf(entry);
  const form = useApiForm<EntryValues, EntryValues>({
    schema: entrySchema(kind),
    defaultValues: before,
    labels: entryLabels,
    serverFields,
    onSubmit: async (values) => {
      const again = status === 'REJECTED' ? { status: 'PENDING' } : {};
      const isMoved = kind === 'product' && values.platformId !== before.platformId;
      // The server wants to hear that the applications of a moved product move along.
      const body = { ...changeOf(kind, before, values), ...again, ...(isMoved ? { platformChanged: true } : {}) };
      const answer = await call(entryKindOf[kind].routes.update, entryCall(entry, { body, version: entry.version }));
      toastChange(values.name, answer);
      onClose();
      reload();
    },
  });
  const { platform, portfolio } = entry as unknown as Partial<CatalogApplication & CatalogPlatform>;
  const parents = [
    ...(platform ? [{ id: platform.platformId, name: platform.platformName }] : []),
    ...(portfolio ? [{ id: portfolio.portfolioId, name: portfolio.portfolioName }] : []),
  ];
  const gated = gatedFields[kind].map((field) =>
    field === entryKindOf[kind].nameField ? 'name' : field === 'portfolioId' ? 'parent' : field,
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      size="lg"
      title={`Edit ${name}`}
      description={
        status === 'ACTIVE' ? 'Fields that need an approval change when an approver agrees. All others change at once.' : undefined
      }
      submitLabel={status === 'REJECTED' ? 'Save and send again' : 'Save changes'}
      busyLabel="Saving"
    >
      <EntryFields
        form={form}
        kind={kind}
        people={entry.owners}
        parents={parents}
        gated={status === 'ACTIVE' ? [...gated, ...(kind === 'application' ? ['parent'] : [])] : []}
      />
    </FormDialog>
  );
}
