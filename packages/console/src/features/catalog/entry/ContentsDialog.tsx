/** Chooses the applications of a product. Only applications of its platform that are in no other product fit. */
import { catalogProductApplicationsSet, type CatalogProduct } from '@slipway/contract/catalog/product.ts';
import { catalogSearch } from '@slipway/contract/catalog/search.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { entryCall, type Entry } from '#features/catalog/entry-kinds.ts';
import css from './EntryOverview.module.css';

type Product = Entry & CatalogProduct;
interface Values {
  applicationIds: string[];
}

export default function ContentsDialog({ entry, onClose, reload }: { entry: Product; onClose: () => void; reload: () => void }) {
  const form = useApiForm<Values, Values>({
    schema: z.object({ applicationIds: z.array(z.string()) }),
    defaultValues: { applicationIds: entry.applications.map(({ applicationId }) => applicationId) },
    labels: { applicationIds: 'Applications' },
    onSubmit: async (body) => {
      await call(catalogProductApplicationsSet, entryCall(entry, { body, version: entry.version }) as never);
      toast.success(`The applications of ${entry.name} were saved`);
      onClose();
      reload();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Applications of ${entry.name}`}
      description={`Only applications of ${entry.platform?.platformName ?? 'its platform'} can belong to this product.`}
      submitLabel="Save applications"
      busyLabel="Saving"
    >
      <ApplicationsField form={form} entry={entry} />
    </FormDialog>
  );
}

function ApplicationsField({ form, entry }: { form: ApiForm<Values>; entry: Product }) {
  const { field, fieldState } = useController({ control: form.control, name: 'applicationIds' });
  const [text, setText] = useState('');
  const [names, setNames] = useState(
    new Map(entry.applications.map(({ applicationId, applicationName }) => [applicationId, applicationName])),
  );
  const list = useRef<HTMLUListElement>(null);
  const search = useQuery(
    catalogSearch,
    {
      query: {
        kind: 'application',
        status: 'ACTIVE',
        platform: entry.platform?.platformId ?? '',
        size: 20,
        ...(text.trim() ? { app: text.trim() } : {}),
      },
    },
    { keepPreviousData: true, pollMs: 0 },
  );
  const ids = field.value;
  const found = (search.data?.content ?? []).filter(({ id }) => !ids.includes(id));
  const remove = (id: string): void => {
    const at = ids.indexOf(id);
    field.onChange(ids.filter((one) => one !== id));
    // The button disappears. The focus goes to its neighbor, or to the search.
    requestAnimationFrame(() => {
      const buttons = list.current?.querySelectorAll('button') ?? [];
      const next =
        buttons[Math.min(at, buttons.length - 1)] ??
        document.querySelector<HTMLElement>('[data-applications-search] [role=combobox], [data-applications-search] button');
      next?.focus();
    });
  };
  return (
    <div className="stack stack-12" data-applications-search="">
      <Field label="Add an application" hint="Name or macId." error={fieldState.error?.message}>
        <Combobox
          searchLabel="Search applications"
          placeholder="Search applications"
          value={null}
          isLoading={search.isLoading}
          emptyText="No application fits, or all are in the list"
          onSearch={setText}
          options={found.map(({ id, name }) => ({ value: id, label: name, note: id }))}
          onChange={(id) => {
            const application = found.find((one) => one.id === id);
            if (!application) return;
            setNames(new Map([...names, [application.id, application.name]]));
            field.onChange([...ids, application.id]);
          }}
        />
      </Field>
      {ids.length === 0 ? (
        <p className="meta">No application yet.</p>
      ) : (
        <ul ref={list} className={css.chosen} aria-label="Applications of the product">
          {ids.map((id) => (
            <li key={id}>
              <span className="ell">{names.get(id) ?? id}</span>
              <code className="quiet">{id}</code>
              <IconButton
                className="push"
                size="sm"
                variant="quiet"
                label={`Remove ${names.get(id) ?? id}`}
                icon={<X aria-hidden="true" />}
                onClick={() => remove(id)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
