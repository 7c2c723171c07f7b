/** Asks to decommission an entry: what depends on it, the date, and the reason. */
import type { CatalogApplication } from '@slipway/contract/catalog/application.ts';
import { RequestComment } from '@slipway/contract/catalog/entry.ts';
import type { CatalogRequest } from '@slipway/contract/catalog/request.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate, useParams } from 'react-router';
import * as z from 'zod/mini';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextareaField, TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryCall, entryOf, type Entry } from '#features/catalog/entry-kinds.ts';
import { kindOf } from './EntryPage.tsx';

export function Component() {
  const { plural, entry: id = '' } = useParams();
  const kind = kindOf(plural);
  const query = useQuery(entryKindOf[kind ?? 'application'].routes.view, kind !== undefined && entryCall({ kind, id }));
  if (kind === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`${entryKindOf[kind].subject.label.toLowerCase()} ${id}`} query={query} />;
  if (query.data === undefined) return null;
  const entry = entryOf(kind, query.data);
  return (
    <PlainPage
      name={`Decommission ${entry.name}`}
      title={['Decommission', entry.name, 'Catalog']}
      lede="Slipway stops nothing. On the date the entry becomes decommissioned, unless something of it still runs."
    >
      <DecommissionForm entry={entry} />
    </PlainPage>
  );
}

function DecommissionForm({ entry }: { entry: Entry }) {
  const navigate = useNavigate();
  const { kind, id, name } = entry;
  const application = entry as Entry & CatalogApplication;
  const form = useApiForm({
    schema: z.object({ reason: RequestComment, targetDate: z.string() }),
    defaultValues: { reason: '', targetDate: kind === 'application' ? (application.targetDecommissioningDate ?? '') : '' },
    labels: { reason: 'Reason', targetDate: 'Date' },
    onSubmit: async ({ reason, targetDate }) => {
      const seen =
        kind === 'application'
          ? {
              criticalityId: application.criticalityCategory?.id ?? null,
              status: entry.status,
              labels: entry.labels.map((label) => label.id),
            }
          : {};
      const body = { reason, ...(targetDate === '' ? {} : { targetDate }), ...seen };
      const request = (await call(entryKindOf[kind].routes.remove, entryCall(entry, { body }))) as unknown as CatalogRequest;
      toast.success(`${request.requestId} waits for approval`);
      await navigate(paths.catalogEntry({ kind, id }, 'requests'));
    },
  });
  return (
    <PageForm
      startsFocused
      form={form}
      label={`Decommission ${name}`}
      submitLabel="Ask to decommission"
      busyLabel="Sending"
      cancelHref={paths.catalogEntry({ kind, id })}
      disabledReason={reasonOf(entry.can, 'decommission')}
      aside={<Dependants entry={entry} />}
    >
      <TextareaField form={form} name="reason" hint="At least 10 characters. The approvers see it." />
      <TextField
        form={form}
        name="targetDate"
        type="date"
        labelNote="optional"
        hint="If empty, the target date of the entry or today applies."
      />
    </PageForm>
  );
}

function Dependants({ entry }: { entry: Entry }) {
  const { app } = entry as Entry & Partial<CatalogApplication>;
  return (
    <Panel aria-labelledby="depends">
      <PanelHead title="What depends on it" titleId="depends" />
      <PanelBody className="stack stack-12">
        {entry.kind === 'application' ? (
          app ? (
            <Notice tone="warn">
              The app <Link href={paths.app({ app: app.id })}>{app.displayName}</Link> is linked. The entry stays active and is shown as
              overdue while an instance of it is ready.
            </Notice>
          ) : (
            <p>No app is linked.</p>
          )
        ) : (
          <p>The request is refused while entries below it are waiting or active.</p>
        )}
      </PanelBody>
    </Panel>
  );
}
