/** The lists of values of applications. Administrators add, rename, reorder and remove values; a value in use cannot be removed. */
import { catalogOptionsSet, catalogOptionUses, optionLists, type OptionList } from '@slipway/contract/catalog/directory.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import { useMe } from '#entities/team/me.ts';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { CatalogHeader } from '#features/catalog/CatalogHeader.tsx';
import css from './OptionsPage.module.css';

interface Option {
  id: string;
  name: string;
  uses: number;
}
const lists: Readonly<Record<OptionList, { title: string; one: string; filter?: string }>> = {
  criticalityCategories: { title: 'Criticality', one: 'criticality', filter: 'criticality' },
  informationClassifications: { title: 'Classification', one: 'classification', filter: 'classification' },
  mipLayers: { title: 'MIP layer', one: 'layer' },
  strategicIntents: { title: 'Strategic intent', one: 'intent' },
};

/** `Mission critical` → `mission-critical` */
export const idFrom = (name: string, taken: readonly string[]): string => {
  const base = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 55);
  const id = base === '' ? 'value' : base;
  const isTaken = (one: string): boolean => taken.includes(one);
  if (!isTaken(id)) return id;
  let next = 2;
  while (isTaken(`${id}-${next}`)) next += 1;
  return `${id}-${next}`;
};

export function Component() {
  const { data: me } = useMe();
  const options = useQuery(catalogOptionUses, me?.isAdministrator === true && {}, { pollMs: 0 });
  return (
    <>
      <CatalogHeader part="Options" />
      <PageBody className="stack stack-24">
        {me?.isAdministrator === false ? (
          <EmptyState level={2} kind="no-right" title="Options are for platform administrators">
            They decide which values an application may have.
          </EmptyState>
        ) : options.error && !options.data ? (
          <ListError what="options" query={options} />
        ) : (
          optionLists.map((list) => <OptionsPanel key={list} list={list} options={options.data?.[list]} reload={() => options.mutate()} />)
        )}
      </PageBody>
    </>
  );
}

interface PanelProps {
  list: OptionList;
  options: Option[] | undefined;
  reload: () => Promise<unknown>;
}

function OptionsPanel({ list, options, reload }: PanelProps) {
  const { title, one, filter } = lists[list];
  const [edited, setEdited] = useState<Option | 'new'>();
  const add = useRef<HTMLButtonElement>(null);
  const save = async (next: readonly Option[]): Promise<void> => {
    await call(catalogOptionsSet, { params: { list }, body: { options: next.map(({ id, name }) => ({ id, name })) } });
    await reload();
  };
  const move = async (at: number, by: number): Promise<void> => {
    const moved = options?.[at];
    if (!options || !moved) return;
    const others = options.toSpliced(at, 1);
    try {
      await save(others.toSpliced(at + by, 0, moved));
    } catch (error) {
      toastError(`${moved.name} could not be moved`, error);
    }
  };
  const remove = (option: Option): void =>
    confirmAction({
      title: `Remove ${option.name}?`,
      description: `Nobody uses it. Applications can no longer choose it as their ${one}.`,
      confirmLabel: 'Remove',
      busyLabel: 'Removing',
      variant: 'danger',
      run: async () => {
        await save((options ?? []).filter(({ id }) => id !== option.id));
        toast.success(`${option.name} was removed`);
        add.current?.focus();
      },
    });
  return (
    <Panel aria-label={title}>
      <PanelHead title={title} {...(options ? { note: options.length } : {})}>
        <Button ref={add} size="sm" icon={<Plus aria-hidden="true" />} aria-label={`Add a ${one}`} onClick={() => setEdited('new')}>
          Add
        </Button>
      </PanelHead>
      {options === undefined ? (
        <Skeleton height={120} />
      ) : (
        <ol className={css.options}>
          {options.map((option, at) => (
            <li key={option.id}>
              <span className={css.name}>
                <strong>{option.name}</strong> <code className="quiet">{option.id}</code>
              </span>
              <span className="meta">
                {option.uses === 0 ? (
                  'not used'
                ) : filter === undefined ? (
                  count(option.uses, 'entry', 'entries')
                ) : (
                  <Link href={paths.catalog(`?${filter}=${encodeURIComponent(option.id)}`)}>{count(option.uses, 'entry', 'entries')}</Link>
                )}
              </span>
              <span className="row">
                <IconButton
                  size="sm"
                  variant="quiet"
                  label={`Move ${option.name} up`}
                  icon={<ArrowUp aria-hidden="true" />}
                  disabledReason={at === 0 ? 'It is the first' : undefined}
                  onClick={() => void move(at, -1)}
                />
                <IconButton
                  size="sm"
                  variant="quiet"
                  label={`Move ${option.name} down`}
                  icon={<ArrowDown aria-hidden="true" />}
                  disabledReason={at === options.length - 1 ? 'It is the last' : undefined}
                  onClick={() => void move(at, 1)}
                />
                <IconButton
                  size="sm"
                  variant="quiet"
                  label={`Rename ${option.name}`}
                  icon={<Pencil aria-hidden="true" />}
                  onClick={() => setEdited(option)}
                />
                <IconButton
                  size="sm"
                  variant="quiet"
                  label={`Remove ${option.name}`}
                  icon={<Trash2 aria-hidden="true" />}
                  {...(option.uses > 0
                    ? { disabledReason: `${count(option.uses, 'entry uses', 'entries use')} it` }
                    : options.length === 1
                      ? { disabledReason: 'A list has at least one value' }
                      : {})}
                  onClick={() => remove(option)}
                />
              </span>
            </li>
          ))}
        </ol>
      )}
      {edited !== undefined && (
        <OptionDialog
          one={one}
          {...(edited === 'new' ? {} : { option: edited })}
          onSave={(name) =>
            save(
              edited === 'new'
                ? [
                    ...(options ?? []),
                    {
                      id: idFrom(
                        name,
                        (options ?? []).map(({ id }) => id),
                      ),
                      name,
                      uses: 0,
                    },
                  ]
                : (options ?? []).map((option) => (option.id === edited.id ? { ...option, name } : option)),
            )
          }
          onClose={() => setEdited(undefined)}
        />
      )}
    </Panel>
  );
}

interface DialogProps {
  one: string;
  option?: Option;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
}
function OptionDialog({ one, option, onSave, onClose }: DialogProps) {
  const form = useApiForm({
    schema: z.object({
      name: z.string().check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(60, { error: 'ExceedsMaximumLength' })),
    }),
    defaultValues: { name: option?.name ?? '' },
    labels: { name: 'Name' },
    onSubmit: async ({ name }) => {
      await onSave(name);
      toast.success(`${name} was saved`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={option ? `Rename ${option.name}` : `Add a ${one}`}
      {...(option && option.uses > 0 ? { description: `${count(option.uses, 'entry shows', 'entries show')} the new name at once.` } : {})}
      submitLabel="Save"
      busyLabel="Saving"
    >
      <TextField form={form} name="name" />
    </FormDialog>
  );
}
