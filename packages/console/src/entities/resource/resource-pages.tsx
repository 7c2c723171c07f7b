/**
 * Generic pages of an entity: the list, the form to create one, and the page with details, edit form and deletion. Each page is a separate
 * component, so that an entity can use only some of them.
 */
import type { Can, Page as PageOf } from '@slipway/contract/kernel/fields.ts';
import { filled } from '@slipway/contract/kernel/kinds.ts';
import type { Resource } from '@slipway/contract/kernel/resource.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Plus, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { FieldValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { PageError } from '#entities/PageError.tsx';
import { lifecycleLook } from '#entities/status.ts';
import { LifecycleNotice, type LifecycleNoticeProps } from './LifecycleNotice.tsx';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { useRemoval } from '#kit/confirm/use-removal.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { listDefaults, useListControl, type ListState } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';

export interface ShownEntity {
  readonly state: LifecycleNoticeProps['state'];
  readonly can: Can;
}
type Names = Readonly<Record<string, string>>;

/** A form of an entity: its initial values and its fields. */
export interface EntityForm<Values extends FieldValues> {
  readonly schema: z.ZodMiniType<unknown, Values>;
  readonly labels: Readonly<Partial<Record<string, string>>>;
  readonly fields: (form: ApiForm<Values>) => ReactNode;
}
export interface PagesOptions<View extends ShownEntity, Create extends FieldValues, Update extends FieldValues> {
  readonly resource: Resource;
  readonly nameOf: (view: View) => { readonly name: string; readonly title: string };
  /** Columns besides the title, which links to its page, and the state. */
  readonly columns: readonly Column<View>[];
  /** Default sort of the list; `searchedBy` names the searched fields. */
  readonly sort: string;
  readonly searchedBy: string;
  /** Shown while the list is empty: the entity's purpose. */
  readonly lede: string;
  readonly details: (view: View) => Detail[];
  readonly create: EntityForm<Create> & { readonly start: Create };
  readonly update: EntityForm<Update> & { readonly start: (view: View) => Update };
  /** Lists what the deletion also removes. */
  readonly consequences: (view: View) => ReactNode[];
}

/** Bypasses the types, which say nothing for a generic route. The contract's schemas still check the input. */
const input = (names: Names, more: object = {}): never => ({ params: names, ...more }) as never;
const useNames = (): Names =>
  Object.fromEntries(Object.entries(useParams()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

export const resourcePages = <View extends ShownEntity, Create extends FieldValues, Update extends FieldValues>(
  options: PagesOptions<View, Create, Update>,
) => {
  const { kind, name } = options.resource.shape;
  const hrefOf = (names: Names, id: string): string => filled(kind.path ?? '', { ...names, [name]: id }) ?? '';
  const listOf = (names: Names): string => filled(kind.listPath ?? '', names) ?? '/';
  const defaults = { ...listDefaults, sort: options.sort };
  const ListPage = () => <EntityList {...options} hrefOf={hrefOf} defaults={defaults} />;
  const NewPage = () => <NewEntity {...options} hrefOf={hrefOf} listOf={listOf} />;
  const Page = () => <OneEntity {...options} listOf={listOf} />;
  return { ListPage, NewPage, Page };
};

type Options<View extends ShownEntity, Create extends FieldValues, Update extends FieldValues> = PagesOptions<View, Create, Update>;
interface Links {
  hrefOf: (names: Names, id: string) => string;
  listOf: (names: Names) => string;
}

function EntityList<View extends ShownEntity, C extends FieldValues, U extends FieldValues>(
  props: Options<View, C, U> & Pick<Links, 'hrefOf'> & { defaults: ListState },
) {
  const { resource, nameOf, columns, sort, searchedBy, lede, hrefOf, defaults } = props;
  const { kind } = resource.shape;
  const names = useNames();
  const control = useListControl(defaults);
  const list = useQuery(resource.list, input(names, { query: control.filter }), { keepPreviousData: true });
  const word = kind.label.toLowerCase();
  const make = filled(kind.newPath ?? '', names) ?? '';
  const title: Column<View> = {
    key: sort,
    header: kind.label,
    isSortable: true,
    phone: 'title',
    cell: (view) => (
      <Link className={cellMain} href={hrefOf(names, nameOf(view).name)}>
        {nameOf(view).title}
      </Link>
    ),
  };
  const state: Column<View> = {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: (view) => {
      const look = lifecycleLook[view.state];
      return look ? <Status tone={look.tone}>{look.word}</Status> : <span className="meta">–</span>;
    },
  };
  const newLink = (variant?: 'primary') => (
    <LinkButton href={make} variant={variant} icon={<Plus aria-hidden="true" />}>
      New {word}
    </LinkButton>
  );
  return (
    <PlainPage name={kind.plural} lede={lede} actions={newLink('primary')} className="stack stack-12">
      <ResourceList
        label={kind.plural}
        noun={word}
        plural={kind.plural.toLowerCase()}
        list={list as typeof list & { data?: PageOf<View> }}
        control={control}
        columns={[title, ...columns, state]}
        rowKey={(view) => nameOf(view).name}
        searchLabel={`Filter ${kind.plural.toLowerCase()} by ${searchedBy}`}
        firstUse={{ title: `There are no ${kind.plural.toLowerCase()} yet`, text: lede, actions: newLink() }}
      />
    </PlainPage>
  );
}

function NewEntity<View extends ShownEntity, C extends FieldValues, U extends FieldValues>(props: Options<View, C, U> & Links) {
  const { resource, create, lede, hrefOf, listOf } = props;
  const { kind } = resource.shape;
  const word = kind.label.toLowerCase();
  const names = useNames();
  const write = useWrite(resource.create);
  const navigate = useNavigate();
  const form = useApiForm<C, unknown>({
    schema: create.schema,
    defaultValues: create.start,
    labels: create.labels as never,
    onSubmit: async (body) => {
      const run = (await write.send(input(names, { body }))) as unknown as { subject: { name: string } };
      toast.success(`${run.subject.name} is being created`);
      await navigate(hrefOf(names, run.subject.name));
    },
  });
  return (
    <PlainPage name={`New ${word}`} lede={lede}>
      <PageForm
        form={form}
        label={`New ${word}`}
        startsFocused
        submitLabel={`Create ${word}`}
        busyLabel="Creating"
        cancelHref={listOf(names)}
      >
        {create.fields(form)}
      </PageForm>
    </PlainPage>
  );
}

function OneEntity<View extends ShownEntity, C extends FieldValues, U extends FieldValues>(
  props: Options<View, C, U> & Pick<Links, 'listOf'>,
) {
  const { resource } = props;
  const { kind, name } = resource.shape;
  const names = useNames();
  const query = useQuery(resource.view, input(names));
  const id = names[name] ?? '';
  if (query.error && !query.data) return <PageError what={`${kind.label.toLowerCase()} ${id}`} query={query} />;
  const view = query.data as View | undefined;
  return view ? <EntityScreen {...props} view={view} names={names} /> : <PageHeader isList typeLabel={kind.label} name={id} />;
}

type Screen<View extends ShownEntity, C extends FieldValues, U extends FieldValues> = Options<View, C, U> &
  Pick<Links, 'listOf'> & { view: View; names: Names };

function EntityScreen<View extends ShownEntity, C extends FieldValues, U extends FieldValues>(props: Screen<View, C, U>) {
  const { resource, nameOf, details, consequences, view, names, listOf } = props;
  const { kind } = resource.shape;
  const word = kind.label.toLowerCase();
  const { title, name } = nameOf(view);
  const [isEditing, setEditing] = useState(false);
  const { remove, discard } = useRemoval({
    route: resource.remove,
    input: input(names),
    title,
    home: listOf(names),
    description: 'This cannot be undone.',
    consequences: consequences(view),
    confirmWord: name,
  });
  const may = (verb: string) => ({ disabledReason: reasonOf(view.can, verb) });
  usePageTitle([title]);
  return (
    <>
      <PageHeader
        isList
        typeLabel={kind.label}
        name={title}
        actions={
          <>
            <Button icon={<Trash2 aria-hidden="true" />} onClick={() => confirmAction(remove)} {...may('delete')}>
              Delete {word}
            </Button>
            <Button variant="primary" onClick={() => setEditing(true)} {...may('update')}>
              Edit {word}
            </Button>
          </>
        }
      >
        <Details items={details(view)} />
      </PageHeader>
      <PageBody className="stack stack-24">
        <LifecycleNotice
          noun={word}
          subject={{ kind: kind.kind, names }}
          state={view.state}
          can={view.can}
          team=""
          onDiscard={() => confirmAction(discard)}
        />
      </PageBody>
      {isEditing && <EditEntity {...props} onClose={() => setEditing(false)} />}
    </>
  );
}

function EditEntity<View extends ShownEntity, C extends FieldValues, U extends FieldValues>(
  props: Screen<View, C, U> & { onClose: () => void },
) {
  const { resource, update, nameOf, view, names, onClose } = props;
  const write = useWrite(resource.update);
  const { title } = nameOf(view);
  const form = useApiForm<U, unknown>({
    schema: update.schema,
    defaultValues: update.start(view),
    labels: update.labels as never,
    onSubmit: async (body) => {
      await write.send(input(names, { body }));
      toast.success(`${title} is being changed`);
      onClose();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title={`Edit ${title}`} submitLabel="Save changes" busyLabel="Saving">
      {update.fields(form)}
    </FormDialog>
  );
}
