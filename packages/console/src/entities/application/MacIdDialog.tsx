/** Links an app to its entry in the application catalog. Shows the link immediately and reloads it three seconds later. */
import { applicationMacIdSet, applicationView, type Application } from '@slipway/contract/application.ts';
import { catalogFuzzySearch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { MacId } from '@slipway/contract/kernel/fields.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useSWRConfig } from 'swr';
import * as z from 'zod/mini';
import { q, useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';

/** The catalog takes a moment to apply the link (specification §2). */
const rereadAfterMs = 3000;

interface MacIdProps {
  app: Application;
  onClose: () => void;
}

export function MacIdDialog({ app, onClose }: MacIdProps) {
  const [search, setSearch] = useState('');
  const found = useQuery(catalogFuzzySearch, { query: { searchTerm: search } }, { keepPreviousData: true, pollMs: 0 });
  const set = useWrite(applicationMacIdSet);
  const { mutate } = useSWRConfig();
  const form = useApiForm({
    schema: z.object({ macId: MacId }),
    defaultValues: { macId: '' },
    labels: { macId: 'macId' },
    onSubmit: async ({ macId }) => {
      const key = q(applicationView, { params: { app: app.id } });
      await mutate(key, set.send({ params: { app: app.id }, body: { macId } }), {
        optimisticData: { ...app, macId },
        rollbackOnError: true,
        revalidate: false,
      });
      setTimeout(() => void mutate(key), rereadAfterMs);
      toast.success(`The macId of ${app.id} is ${macId}`);
      onClose();
    },
  });
  const entries = found.data?.contents.filter((entry) => entry.app === null) ?? [];
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      size="square"
      title={`Set the macId of ${app.id}`}
      description="The number of its entry in the application catalogue. Once set it cannot be changed."
      label="Set macId"
      submitLabel="Set macId"
      busyLabel="Setting"
    >
      <ComboboxField
        form={form}
        name="macId"
        searchLabel="Search the catalog"
        placeholder="Choose an entry"
        emptyText="No entry fits, or all that fit belong to another app"
        isLoading={found.isLoading}
        onSearch={setSearch}
        options={entries.map((entry) => ({ value: entry.id, label: entry.id, note: entry.name }))}
        hint="Entries without an app, found by name or macId."
      />
    </FormDialog>
  );
}
